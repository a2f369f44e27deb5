import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { longestTemporaryName } from '../../runtime/base/fs/temporary-file.ts';
import { batchLines } from '../support/batch-lines.ts';
import { finished, startCommand } from '../support/command.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { until } from '../support/until.ts';
import { ownCa } from '../support/zoo/own-ca.ts';
import { zooServer } from '../support/zoo/server.ts';

const CLI = fileURLToPath(new URL('../../runtime/cli.js', import.meta.url));
/** Of LMDB on a machine whose own pages are no larger. */
const STORE_PAGE_BYTES = 4_096;
const MOCK = ['--backend', 'mock', '--workers', '1'];

interface Shell {
  readonly exit: number | null;
  readonly text: string;
}

/** A command line as a person gives it; `$R` is the product. */
async function bash(dir: string, line: string, env: Readonly<Record<string, string>> = {}): Promise<Shell> {
  const child = spawn('bash', ['-c', line], { cwd: dir, env: { ...process.env, R: `${process.execPath} ${CLI}`, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  const [exit] = (await once(child, 'close')) as [number | null];
  return { exit, text };
}

/** Starts a run, sends it a SIGHUP while its items are executed, and waits for its end. */
async function hungUp(t: ExecutionContext, how: string): Promise<Shell & { readonly dir: string }> {
  const dir = scratch(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 300 }));
  writeFileSync(join(dir, 'in.jsonl'), batchLines(40).join('\n'));
  const run = bash(
    dir,
    `${how} $R run in.jsonl --output out.jsonl --base-url ${server.url} --concurrency 2 > log 2>&1 & echo $! > pid; wait $!; s=$?; cat log; exit $s`,
  );
  await until('items are executed', 60_000, () => server.total() > 3);
  process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), 'SIGHUP');
  return { ...(await run), dir };
}

test.serial('with nohup the end of the terminal changes nothing: the run goes on to its end', async (t) => {
  t.timeout(120_000);
  const { exit, text } = await hungUp(t, 'nohup');
  t.is(exit, 0, text);
  t.regex(text, /40 done/);
});

test.serial('without it the run stops in order, and keeps its progress', async (t) => {
  t.timeout(120_000);
  const { exit, text } = await hungUp(t, '');
  t.is(exit, 130, text);
  t.regex(text, /progress is kept/);
});

test.serial('a script that ignores the signal passes that on', async (t) => {
  t.timeout(120_000);
  const { exit, text } = await hungUp(t, "trap '' HUP; ");
  t.is(exit, 0, text);
});

test.serial('too few open files are told with what to raise, and nothing is made', async (t) => {
  t.timeout(60_000);
  const run = makeRun(t, { lines: batchLines(3), args: MOCK });
  for (const files of [40, 22]) {
    const { exit, text } = await bash(run.dir, `ulimit -n ${files}; $R run in.jsonl --output out.jsonl --backend mock`);
    t.is(exit, 2, text);
    t.regex(text, /ulimit -n/);
    t.notRegex(text, /^ {4}at /m);
  }
  t.false(existsSync(run.state));
});

test.serial('a store that is a part of a copy is told by every verb, and ends none with a signal', async (t) => {
  t.timeout(120_000);
  const run = makeRun(t, { lines: batchLines(200), args: MOCK });
  t.is((await finished(run.start())).exit, 0);
  const store = join(run.state, 'store', 'ledger.mdb');
  // Behind the two heads. All of the second half may be free, and then a store is whole without it.
  truncateSync(store, 2.5 * STORE_PAGE_BYTES);
  for (const verb of ['status', 'verify', 'export']) {
    const { exit, stderr } = await run.verb(verb);
    t.is(exit, 2, `${verb}: ${stderr}`);
    t.regex(stderr, /part of a copy.*--fresh/);
  }
  const again = await run.refused();
  t.is(again.exit, 2, again.stderr);
  t.regex(again.stderr, /part of a copy/);
});

test.serial('--fresh is refused beside a coordinator that was started by hand, with what to do', async (t) => {
  t.timeout(90_000);
  const run = makeRun(t, { lines: batchLines(3), args: MOCK });
  const settings = { input: run.input, output: run.output, listen: '127.0.0.1:0', http: 'none', stateDir: run.state };
  writeFileSync(join(run.dir, 'c.yaml'), JSON.stringify(settings));
  const coordinator = startCommand('coordinator', ['--config', join(run.dir, 'c.yaml')], { cwd: run.dir });
  await until('it serves', 60_000, () => coordinator.stdout().includes('run_started'));
  const { exit, stderr } = await run.refused(['--fresh']);
  t.is(exit, 2, stderr);
  t.regex(stderr, new RegExp(`pid ${coordinator.pid}\\b.*kill ${coordinator.pid}`));
  t.true(existsSync(join(run.state, 'run.json')));
  coordinator.signal('SIGTERM');
  await exitOf(coordinator, 30_000);
  t.is((await finished(run.start(['--fresh']))).exit, 0);
});

test.serial('what killed exports and dry runs have left is removed by the next one', async (t) => {
  t.timeout(90_000);
  const run = makeRun(t, { lines: batchLines(3), args: MOCK });
  t.is((await finished(run.start())).exit, 0);
  // A pid that Linux gives to nobody.
  const scratch = join(run.state, await longestTemporaryName('scratch-'));
  mkdirSync(scratch);
  mkdirSync(await longestTemporaryName(`${run.state}.dry-run-`));
  writeFileSync(join(scratch, 'x'), 'x');
  t.is((await run.verb('export')).exit, 0);
  t.is((await run.refused(['--dry-run'])).exit, 0);
  const left = [...readdirSync(run.state), ...readdirSync(run.dir)].filter((name) => name.endsWith('.tmp'));
  t.deepEqual(left, []);
});

test.serial('control characters of an input never reach the terminal', async (t) => {
  t.timeout(60_000);
  const line = JSON.stringify({ custom_id: '\u001b[2Jx\u009b', method: 'POST', url: '/v1/chat/completions', body: {} });
  const run = makeRun(t, { lines: [line, line], args: MOCK });
  const dry = await run.refused(['--dry-run']);
  t.regex(dry.stdout, /\\u001b\[2Jx|duplicate/);
  const refused = await run.refused(['--on-invalid', 'fail']);
  t.is(refused.exit, 2);
  for (const text of [dry.stdout, dry.stderr, refused.stdout, refused.stderr]) t.notRegex(text, /(?!\n)\p{Cc}/u);
});

test('a file of authorities that cannot be used is refused before anything is made or asked, by its flag or variable', async (t) => {
  const dir = scratch(t);
  const { ca } = await ownCa();
  const server = await zooServer(t);
  writeFileSync(join(dir, 'in.jsonl'), batchLines(3).join('\n'));
  writeFileSync(join(dir, 'cut.pem'), ca.slice(0, ca.length / 2));
  const run = `$R run in.jsonl --output out.jsonl --base-url ${server.url}`;
  const byFlag = await bash(dir, `${run} --ca-cert cut.pem`);
  t.is(byFlag.exit, 2, byFlag.text);
  t.regex(
    byFlag.text,
    /--ca-cert \(caCert in a settings file\): cut\.pem cannot be used as the certificate of an authority: a certificate in it ends too early/,
  );
  const byVariable = await bash(dir, run, { SSL_CERT_FILE: '/dev/null' });
  t.is(byVariable.exit, 2, byVariable.text);
  t.regex(byVariable.text, /SSL_CERT_FILE: \/dev\/null .*: it is empty/);
  t.deepEqual(readdirSync(dir).toSorted(), ['cut.pem', 'in.jsonl']);
  t.deepEqual(server.asked, []);
});
