import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { resultsServer } from '../../../../runtime/cli/results-server/results-server.ts';
import { NOWHERE, statePaths } from '../../../../runtime/run-dir/paths.ts';
import { writeRunFile } from '../../../../runtime/run-dir/run-file.ts';
import { writeServing } from '../../../../runtime/run-dir/state-files.ts';
import { type ServedVerb, serveVerb } from '../../../support/served-verb.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { depsOf } from '../../../support/verb.ts';

const TOKEN = 't'.repeat(32);
const OUTPUT = `${'{"custom_id":"1"}\n'.repeat(50_000)}`;
const ERRORS = '{"custom_id":"2"}\n';

/** What a finished run leaves, as far as its files are concerned. */
async function finishedState(t: ExecutionContext): Promise<{ readonly state: string; readonly outputPath: string }> {
  const dir = temporaryDir(t);
  const [state, outputPath, inputPath] = [join(dir, 'run'), join(dir, 'output.jsonl'), join(dir, 'input.jsonl')];
  mkdirSync(state);
  writeFileSync(inputPath, '');
  writeFileSync(outputPath, OUTPUT);
  writeFileSync(`${outputPath}.errors.jsonl`, ERRORS);
  await writeRunFile(state, {
    version: 1,
    runId: '01HX0000000000000000000000',
    createdAtMs: 0,
    input: { path: inputPath, size: 0, mtimeMs: 0, sha256: null, hashedBytes: null },
    settings: { raw: false, limit: null, maxLineBytes: 1_024, model: null, overrideModel: null },
    store: { kind: 'embedded' },
    results: 'directory',
  });
  const run = {
    inputPath,
    outputPath,
    outputMode: 0o644,
    tlsDir: join(dir, 'tls'),
    order: 'input',
    form: 'batch',
    limit: null,
    maxLineBytes: 1_024,
  } as const;
  await writeServing(statePaths(state).serving, { address: NOWHERE, http: null, pid: 0, epoch: 0, run });
  return { state, outputPath };
}

const argumentsOf = (state: string) => ({ state, host: '127.0.0.1', port: 0, tokenEnv: 'TOKEN', epochEnv: 'EPOCH' });

async function served(t: ExecutionContext, state: string): Promise<ServedVerb> {
  return serveVerb(t, (deps) => resultsServer(deps, argumentsOf(state)), { TOKEN });
}

test('both files are shown whole, with their length and digest', async (t) => {
  const { state } = await finishedState(t);
  const { url } = await served(t, state);
  for (const [name, text] of [
    ['output', OUTPUT],
    ['errors', ERRORS],
  ] as const) {
    const response = await fetch(`${url}/${TOKEN}/${name}`);
    t.is(response.headers.get('content-length'), String(text.length));
    t.is(response.headers.get('x-content-sha256'), createHash('sha256').update(text).digest('hex'));
    t.true((await response.text()) === text);
  }
});

test('who does not know the token sees nothing, and nothing but the three pages is there', async (t) => {
  const { state } = await finishedState(t);
  const { url } = await served(t, state);
  for (const path of [
    '/',
    '/output',
    `/${'u'.repeat(32)}/output`,
    `/${'u'.repeat(32)}/verify`,
    `/${TOKEN}`,
    `/${TOKEN}/../run/run.json`,
    `/${TOKEN}/output?x`,
  ])
    t.is((await fetch(`${url}${path}`)).status, 404, path);
  t.is((await fetch(`${url}/${TOKEN}/output`, { method: 'DELETE' })).status, 404);
});

test('a file that is gone is not there, and one that cannot be read is told as that', async (t) => {
  const { state, outputPath } = await finishedState(t);
  const { url, said } = await served(t, state);
  rmSync(outputPath);
  t.is((await fetch(`${url}/${TOKEN}/output`)).status, 404);
  mkdirSync(outputPath);
  const response = await fetch(`${url}/${TOKEN}/output`);
  t.is(response.status, 500);
  t.regex(await response.text(), /EISDIR/);
  t.regex(said(), /results-server: .*EISDIR/);
});

test('what cannot be proven is never answered as a proof', async (t) => {
  const { state } = await finishedState(t);
  const { url, end } = await served(t, state);
  const response = await fetch(`${url}/${TOKEN}/verify`);
  t.not(response.headers.get('x-exit-code'), '0');
  t.is(response.status, 500, await response.text());
  t.is(await end(), 0);
});

test('a token that could be guessed, or none, is refused before anything is shown', async (t) => {
  const { state } = await finishedState(t);
  for (const env of [{}, { TOKEN: '' }, { TOKEN: 't'.repeat(31) }])
    await t.throwsAsync(resultsServer({ ...depsOf('.'), env }, argumentsOf(state)), {
      code: 'USAGE',
      message: /TOKEN needs at least 32 characters/,
    });
});

test('a directory that holds no run is refused', async (t) => {
  await t.throwsAsync(resultsServer({ ...depsOf('.'), env: { TOKEN } }, argumentsOf(temporaryDir(t))), {
    code: 'USAGE',
    message: /holds no run/,
  });
});
