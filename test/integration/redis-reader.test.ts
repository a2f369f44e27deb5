import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ulid } from 'ulid';
import { assert } from '../../runtime/base/assert.ts';
import { readAtRest } from '../../runtime/cli/results-server/read-at-rest.ts';
import { resultsServer } from '../../runtime/cli/results-server/results-server.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { bindInput } from '../../runtime/results/inline/input.ts';
import { statePaths } from '../../runtime/run-dir/paths.ts';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { settle } from '../support/commit-parts.ts';
import { createdLog, openedPlace } from '../support/created-log.ts';
import { type Holder, InlineRun } from '../support/inline-run.ts';
import { by, claimed, outcome, SOME_WORKER, win } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { serveVerb } from '../support/served-verb.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

/** What the pod does that shows what is recorded of a run in Redis: its directory is empty, and its list was copied just now. */

const TOKEN = 't'.repeat(32);
const LINES = batchLines(5);
const LIST_PAGES = ['remaining', 'failed', 'remaining-failed'] as const;
const PAGES = ['results', ...LIST_PAGES] as const;
const server = await redisServerOf(test);

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** A run of epoch 0 that has handed out its first three items, and recorded the first two. */
async function begunRun(t: ExecutionContext, list: string | null = textOf(LINES)): Promise<Holder & { readonly runId: string }> {
  const run = new InlineRun(server, ulid());
  t.teardown(() => run.close());
  const holder = await run.hold(0);
  const { ledger, session, place } = holder;
  const identity = await openedPlace(place, 0, run.runId);
  await ledger.bind(0, identity);
  await ledger.register(by(0), 'w1', SOME_WORKER);
  if (list !== null) {
    const sha256 = createHash('sha256').update(list).digest('hex');
    t.deepEqual(await bindInput(session, 0, { sha256, bytes: list.length, raw: false, maxLineBytes: 8_388_608 }, null), { kind: 'bound' });
  }
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
  const log = await createdLog(place, 0, identity);
  const ids = itemIds(2);
  await log.append(ids.map((id, index) => ({ index, attempt: 1, kind: 'result', line: Buffer.from(`{"custom_id":"${id}"}`) })));
  await record(ledger, [0, 1]);
  return { ...holder, runId: run.runId };
}

async function record(ledger: Ledger, items: readonly number[]): Promise<void> {
  const reply = await settle(
    ledger,
    0,
    'w1',
    items.map((index) => outcome(index)),
  );
  assert(reply.kind === 'settled' && reply.verdicts.every((verdict) => verdict === 'accepted'), JSON.stringify(reply));
}

async function release(ledger: Ledger): Promise<void> {
  const { lease } = await ledger.readLease();
  assert(lease !== null, 'it was won');
  await ledger.release(lease);
}

interface Page {
  readonly status: number;
  readonly text: string;
}

/** `epoch`: what the command has heard of. */
async function reader(
  t: ExecutionContext,
  runId: string,
  lines: readonly string[],
  epoch: string,
): Promise<(page: string) => Promise<Page>> {
  const dir = temporaryDir(t);
  const [config, input] = [join(dir, 'coordinator.yaml'), join(dir, 'input.jsonl')];
  writeFileSync(input, textOf(lines));
  const settings = { runId, input, output: join(dir, 'output.jsonl'), stateDir: join(dir, 'run'), store: { redis: server.url } };
  writeFileSync(config, JSON.stringify({ ...settings, results: { place: 'inline' } }));
  const args = { config, host: '127.0.0.1', port: 0, tokenEnv: 'TOKEN', epochEnv: 'EPOCH' };
  const { url } = await serveVerb(t, (deps) => resultsServer(deps, args), { TOKEN, EPOCH: epoch });
  return async (page) => {
    const response = await fetch(`${url}/${TOKEN}/${page}`);
    return { status: response.status, text: await response.text() };
  };
}

test('what is recorded, and the lines that are left of the list that the run began with', async (t) => {
  const { ledger, runId } = await begunRun(t);
  await release(ledger);
  const page = await reader(t, runId, LINES, '0');
  t.deepEqual(await page('results'), { status: 200, text: '{"done":2,"failed":0,"lost":0}\n' });
  t.is((await page('remaining')).status, 200);
  t.is((await page('list')).text, textOf(LINES.slice(2)));
});

test('a list that has changed at its source since the run began is refused: the records would be laid over other lines', async (t) => {
  const { ledger, runId } = await begunRun(t);
  await release(ledger);
  for (const lines of [LINES.slice(1), [...batchLines(6).slice(5), ...LINES]]) {
    const page = await reader(t, runId, lines, '0');
    for (const name of LIST_PAGES) {
      const { status, text } = await page(name);
      t.is(status, 500, name);
      t.regex(text, /has changed since the run: restore the list/);
    }
    t.is((await page('list')).status, 404, 'nothing is written');
    t.is((await page('results')).status, 200, 'no list is needed for that');
  }
});

test('where items were handed out and nobody knows of which list, none is taken for it', async (t) => {
  const { ledger, runId } = await begunRun(t, null);
  await release(ledger);
  const page = await reader(t, runId, LINES, '0');
  for (const name of LIST_PAGES) {
    const { status, text } = await page(name);
    t.is(status, 500, name);
    t.regex(text, /does not say which list the run has.*--partial needs no list/);
  }
  t.is((await page('results')).status, 200);
});

test('a coordinator that has ended before the first item leaves the whole list, and so does one that never was', async (t) => {
  const run = new InlineRun(server, ulid());
  t.teardown(() => run.close());
  await release((await run.hold(0)).ledger);
  for (const [runId, epoch] of [
    [run.runId, '0'],
    [ulid(), '-1'],
    [ulid(), ''],
  ] as const) {
    const page = await reader(t, runId, LINES, epoch);
    t.deepEqual(await page('remaining'), { status: 200, text: '{"lines":5,"notItems":0,"form":"batch"}\n' });
    t.deepEqual(await page('results'), { status: 200, text: '{"done":0,"failed":0,"lost":0}\n' });
  }
});

test('a ledger that is gone, or older than what is known of the run, is not taken for a run that has recorded less', async (t) => {
  const { ledger, runId } = await begunRun(t);
  await release(ledger);
  const [gone, behind] = [await reader(t, ulid(), LINES, '0'), await reader(t, runId, LINES, '3')];
  for (const name of PAGES) {
    const [nothing, less] = [await gone(name), await behind(name)];
    t.deepEqual([nothing.status, less.status], [500, 500], name);
    t.regex(nothing.text, /the keys of the run are gone .*at epoch 0: they expire .*name the server and the database of the run again/);
    t.regex(less.text, /is at epoch 0, but the run .* was at epoch 3 already/);
  }
});

test('while a coordinator has the lease nothing is shown', async (t) => {
  const { ledger, runId } = await begunRun(t);
  const page = await reader(t, runId, LINES, '0');
  for (const name of PAGES) {
    const { status, text } = await page(name);
    t.is(status, 500, name);
    t.regex(text, /a coordinator \(holder-\d+-0:1\) works on the run.*suspend the run/);
  }
  await release(ledger);
  for (const name of PAGES) t.is((await page(name)).status, 200, name);
});

test('what was made while a coordinator began, has come and gone, or still recorded, is refused', async (t) => {
  const made = async (meanwhile: (ledger: Ledger) => Promise<unknown>): Promise<string> => {
    const { ledger, runId } = await begunRun(t);
    await release(ledger);
    const kept = { runId, store: server.store(), results: 'inline' } as const;
    return readAtRest({ ledger }, { paths: statePaths(temporaryDir(t)), kept, heardEpoch: 0 }, async ({ done }) => {
      await meanwhile(ledger);
      return `made of ${done}`;
    }).catch((error: unknown) => String(error));
  };
  t.is(await made(async () => undefined), 'made of 2');
  t.regex(await made((ledger) => win(ledger, 'next')), /a coordinator \(next:1\) works on the run/);
  const comeAndGone = async (ledger: Ledger): Promise<void> => {
    await win(ledger, 'next');
    await release(ledger);
  };
  t.regex(await made(comeAndGone), /has changed while it was read.*suspend the run/);
  t.regex(await made((ledger) => record(ledger, [2])), /has changed while it was read/);
});
