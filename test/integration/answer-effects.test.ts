import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { mustGet } from '../../runtime/base/assert.ts';
import { EXIT } from '../../runtime/base/exit.ts';
import type { ItemReturn, Outcome } from '../../runtime/model/session.ts';
import { endingOf } from '../../runtime/worker/ending.ts';
import { REFUSAL_ROW } from '../../runtime/worker/endpoint/refusals.ts';
import type { Judgement } from '../../runtime/worker/endpoint/retry.ts';
import { onKnownGood, onReply } from '../../runtime/worker/machine.ts';
import type { Stage } from '../../runtime/worker/stage.ts';
import { find, type State } from '../../runtime/worker/state.ts';
import { batchLine } from '../support/batch-lines.ts';
import { heldItem, Machine, ofKind, rowFor, ref as rowRef } from '../support/machine.ts';
import { onOneEnded } from '../support/one-ended.ts';
import { assignment, greeting, ok, ref } from '../support/worker-state.ts';

/** docs/answers.md says what each judgement does to the item, the endpoint and the run: the machines of both processes are asked. */

const FAILURE = { code: 'code', message: 'message', response: { statusCode: 400, requestId: null, body: '{}' } };
const RESULT: Judgement = { kind: 'result', response: { statusCode: 200, requestId: null, body: '{}' } };
const blamed = (blame: 'item' | 'request' | 'unknown' | 'endpoint', statusCode: number): Judgement => ({
  ...{ kind: 'error', blame, delayMs: 0, ...FAILURE },
  response: { ...FAILURE.response, statusCode },
});

const JUDGEMENTS: Readonly<Record<string, Judgement>> = {
  'a result': RESULT,
  item: blamed('item', 200),
  request: blamed('request', 400),
  unknown: blamed('unknown', 502),
  endpoint: blamed('endpoint', 401),
  throttled: { kind: 'throttled', error: FAILURE, delayMs: 0, quietMs: 0 },
  unavailable: { kind: 'unavailable', detail: 'ECONNREFUSED' },
};

const HEAD = '| judged as | first answer of an endpoint | 20 in a row, no result ever | between results | 20 in a row after results |';

/** What a worker tells the coordinator of an item, or null while it holds it back. */
type Told = { readonly outcome: Outcome } | { readonly back: ItemReturn } | null;

/** One worker with one endpoint, on which items 0 to 40 run. */
class Worker {
  readonly state: State;
  #nowMs = 0;

  constructor() {
    this.state = greeting({ concurrency: 64, prefetch: 2 }).state;
    this.#give(
      1,
      Array.from({ length: 40 }, (_, index) => index),
    );
  }

  #give(batch: number, indexes: readonly number[]): void {
    const id = { session: this.state.session.number, poll: this.state.session.polls };
    onReply(this.state, this.#nowMs, id, ok({ batch, assignments: indexes.map((index) => assignment(index)) }));
  }

  end(index: number, judgement: Judgement): void {
    this.#nowMs += 1;
    const item = { customId: `item-${index}`, method: 'POST', url: '/v1/chat/completions', body: JSON.parse(batchLine('a')) as object };
    onOneEnded(this.state, this.#nowMs, ref(index), endingOf({ assignment: assignment(index), item, id: 'id' }, judgement));
  }

  /** A request that had a result before is asked for where the worker wants to know, and is refused. */
  refuseKnownGood(): void {
    onKnownGood(this.state, this.#nowMs, 0, { kind: 'refused', detail: '' });
  }

  /** An item that starts now gets a result. */
  succeedLater(): void {
    this.#nowMs += 1;
    this.#give(2, [50]);
    this.end(50, RESULT);
  }

  told(index: number): Told {
    const stage: Stage = mustGet(find(this.state, ref(index))?.stage, 'a held item');
    if (stage.kind === 'storing') return { outcome: stage.outcome };
    return stage.kind === 'returning' ? { back: stage.item } : null;
  }

  endpoint(): string {
    const { breaker, limit } = mustGet(this.state.endpoints[0], 'an endpoint');
    if (breaker.kind === 'closed') return limit.size < 64 ? 'is asked less at a time' : 'works';
    return 'outage' in breaker && breaker.outage.isRefusing ? 'refuses' : 'is away';
  }
}

/** Where the coordinator is told that of one worker alone. */
function words(endpoint: string, told: readonly Told[], hasResult: boolean): string {
  const rows = told.map((_, index) => index);
  const machine = new Machine({
    ...{ cursor: rows.length + Number(hasResult), settled: { done: Number(hasResult), failed: 0 }, settings: { breaker: REFUSAL_ROW } },
    running: rows.map((index) => ({ index, row: rowFor('w1') })),
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(1_000);
  machine.poll('w1', { hello: rows.map((index) => heldItem(index)) });
  const commands = told.flatMap((one, index) => {
    if (one === null) return [];
    return machine.poll(
      'w1',
      'back' in one ? { returns: [{ ...one.back, ...rowRef(index) }] } : { outcomes: [{ ...one.outcome, ...rowRef(index) }] },
    );
  });
  const isPaused = ofKind(commands, 'pause').length > 0;
  const isHeld = machine.state.heldFailures.length > 0 || isPaused;
  const items = new Set(told.map((one) => itemWord(one, isHeld, isPaused)));
  return `${[...items].join(', ')}; ${endpoint}; ${isPaused ? 'pauses' : 'goes on'}`;
}

function itemWord(told: Told, isHeld: boolean, isPaused: boolean): string {
  if (told === null) return 'held back';
  if ('back' in told) return 'back, uncounted';
  if (told.outcome.kind === 'result') return 'done';
  if (isHeld) return isPaused ? 'back, uncounted' : 'held back';
  return told.outcome.isRetryable ? 'counted, tried again' : 'failed';
}

/** The first answer that the endpoint ever gives. */
function first(judgement: Judgement): string {
  const worker = new Worker();
  worker.end(0, judgement);
  worker.refuseKnownGood();
  return words(worker.endpoint(), [worker.told(0)], false);
}

/** Others get results, before it and from then on. */
function between(judgement: Judgement): string {
  const worker = new Worker();
  worker.end(39, RESULT);
  worker.end(0, judgement);
  const endpoint = worker.endpoint();
  if (worker.told(0) === null) worker.succeedLater();
  return words(endpoint, [worker.told(0)], true);
}

/** Nothing else comes any more. */
function row(judgement: Judgement, hasResult: boolean): string {
  const worker = new Worker();
  if (hasResult) worker.end(39, RESULT);
  for (let index = 0; index < REFUSAL_ROW; index += 1) worker.end(index, judgement);
  worker.refuseKnownGood();
  const told = Array.from({ length: REFUSAL_ROW }, (_, index) => worker.told(index));
  return words(worker.endpoint(), told, hasResult);
}

function rowOf([name, judged]: readonly [string, Judgement]): string {
  return `| ${[name, first(judged), row(judged, false), between(judged), row(judged, true)].join(' | ')} |`;
}

test('docs/answers.md says what each judgement does to the item, the endpoint and the run', (t) => {
  const rows = Object.entries(JUDGEMENTS).map(rowOf);
  const page = readFileSync(new URL('../../docs/answers.md', import.meta.url), 'utf8');
  const head = `${HEAD}\n${HEAD.replace(/[^|]+/g, '---')}\n`;
  const start = page.indexOf(head) + head.length;
  t.deepEqual(page.slice(start, page.indexOf('\n\n', start)).split('\n'), rows, `as a table:\n${rows.join('\n')}`);
});

/** A bug is none of the exits that the program chooses: its launchers end with that. */
const BUG = 70;

test('docs/answers.md says of every exit code once what the same command does next, and names tests that are there', (t) => {
  const page = readFileSync(new URL('../../docs/answers.md', import.meta.url), 'utf8');
  const rows = [...page.matchAll(/^\| (\d+) \| .* \|(?: (test\/e2e\/[a-z-]+))? \|$/gm)];
  t.deepEqual(
    rows.map(([, code]) => Number(code)),
    [...Object.values(EXIT), BUG].toSorted((a, b) => a - b),
  );
  for (const [, , path] of rows) if (path !== undefined) t.true(existsSync(new URL(`../../${path}.test.ts`, import.meta.url)), path);
});
