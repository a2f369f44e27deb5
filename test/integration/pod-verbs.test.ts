import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Begun } from '../support/command.ts';
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
