import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Begun } from '../support/command.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { startVerb } from '../support/verb.ts';

const TOKEN = 't'.repeat(48);

/** A verb that serves, and where. */
async function served(
  t: ExecutionContext,
  args: readonly string[],
  cwd: string,
): Promise<{ readonly url: string; readonly command: Begun }> {
  const command = startVerb([...args, '--host', '127.0.0.1', '--port', '0'], cwd, { ROLLOUT_RESULTS_TOKEN: TOKEN });
  const urlIn = (): string | undefined => /listening on (\S+)/.exec(command.stderr())?.[1];
  await until('it serves', PATIENCE_MS, () => urlIn() !== undefined || command.hasExited());
  t.teardown(async () => {
    command.signal('SIGTERM');
    await exitOf(command, PATIENCE_MS);
  });
  return { url: urlIn() ?? command.stderr(), command };
}

test('what the pods of a run do, one after the other: fetch the list, execute it on the mock server, show and prove the results', async (t) => {
  t.timeout(300_000);
  const run = makeRun(t, { lines: batchLines(40), args: [], inputName: 'list.jsonl' });
  const copy = join(run.dir, 'input.jsonl');
  const step = startVerb(['fetch-input', '--file', run.input, '--to', copy], run.dir);
  t.is(await exitOf(step, PATIENCE_MS), 0, step.stderr());
  t.deepEqual(readFileSync(copy), readFileSync(run.input));

  const model = await served(t, ['mock-server', '--latency', '1ms'], run.dir);
  const command = startVerb(['run', copy, '--output', run.output, '--base-url', model.url, '--workers', '1'], run.dir);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());

  const reader = await served(t, ['results-server', '--state', run.state], run.dir);
  const output = await fetch(`${reader.url}/${TOKEN}/output`);
  const text = await output.text();
  t.is(text, readFileSync(run.output, 'utf8'));
  t.is(text.trimEnd().split('\n').length, 40);
  t.is(output.headers.get('x-content-sha256'), createHash('sha256').update(text).digest('hex'));
  t.is(await (await fetch(`${reader.url}/${TOKEN}/errors`)).text(), '', 'also where no item has failed');

  const proof = await fetch(`${reader.url}/${TOKEN}/verify`);
  t.is(proof.headers.get('x-exit-code'), '0');
  t.like(await proof.json(), { isProven: true, items: 40, done: 40, failed: 0 });
  writeFileSync(run.output, text.split('\n').slice(1).join('\n'));
  const broken = await fetch(`${reader.url}/${TOKEN}/verify`);
  t.is(broken.headers.get('x-exit-code'), '6');
  t.like(await broken.json(), { isProven: false });
  rmSync(run.output);
  t.not((await fetch(`${reader.url}/${TOKEN}/verify`)).headers.get('x-exit-code'), '0');
});

test('of a run that has stopped in the middle: what is recorded, and the lines that have no record, are the list together', async (t) => {
  t.timeout(300_000);
  const model = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, { lines: batchLines(400), args: ['--base-url', model.url, '--concurrency', '4'] });
  const command = run.start();
  await until('items are executed', PATIENCE_MS, () => model.total() > 20);
  command.signal('SIGINT');
  t.is(await exitOf(command, PATIENCE_MS), 130, command.stderr());

  const reader = await served(t, ['results-server', '--config', join(run.state, 'coordinator.yaml')], run.dir);
  const answer = async (page: string): Promise<Record<string, unknown>> =>
    (await (await fetch(`${reader.url}/${TOKEN}/${page}`)).json()) as Record<string, unknown>;
  const idsIn = async (page: string): Promise<readonly string[]> => {
    const text = await (await fetch(`${reader.url}/${TOKEN}/${page}`)).text();
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
  };
  t.is((await fetch(`${reader.url}/${TOKEN}/output`)).status, 404, 'nothing is there before it is asked for');
  const { done, failed, lost } = await answer('results');
  t.deepEqual([failed, lost], [0, 0]);
  const recorded = await idsIn('output');
  t.is(recorded.length, done as number);
  t.is((await idsIn('errors')).length, 0);
  t.deepEqual(await answer('remaining'), { lines: 400 - recorded.length, notItems: 0, form: 'batch' });
  const left = await idsIn('list');
  t.true(recorded.length > 0 && left.length > 0);
  t.deepEqual(
    [...recorded, ...left].toSorted(),
    batchLines(400)
      .map((line) => (JSON.parse(line) as { custom_id: string }).custom_id)
      .toSorted(),
  );
  t.deepEqual(await answer('failed'), { lines: 0, notItems: 0, form: 'batch' });
  reader.command.signal('SIGTERM');
  t.is(await exitOf(reader.command, PATIENCE_MS), 0);
  t.deepEqual(
    readdirSync(run.state).filter((name) => name.startsWith('scratch-')),
    [],
    'nothing is left behind on the volume',
  );
});
