import test from 'ava';
import { type Cycle, type CycleOptions, createCycle, noWrites, type WriteCounts } from '../../../../runtime/coordinator/perform/cycle.ts';
import type { LedgerWriter } from '../../../../runtime/coordinator/perform/ledger-writer.ts';
import type { Recording } from '../../../../runtime/coordinator/state/commands.ts';
import type { Committed } from '../../../../runtime/coordinator/state/facts.ts';
import type { CommitRequest, HandBack, Ledger } from '../../../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import { COORDINATOR_WORKER } from '../../../../runtime/model/row.ts';
import type { ResultLog } from '../../../../runtime/results/log/contract.ts';
import { back, claimed, row, start } from '../../../support/ledger-start.ts';
import { settlePromises } from '../../../support/manual-clock.ts';

interface Bench {
  readonly cycle: Cycle;
  readonly ledger: Ledger;
  readonly requests: CommitRequest[];
  readonly told: Committed[];
  readonly writes: WriteCounts;
  /** What happened, in order. */
  readonly done: string[];
  /** What the machine commands when it is told something. */
  onTold: (fact: Committed) => void;
  isHolder: boolean;
  isFull: boolean;
  /** The reply to the next commit is lost. */
  isLosing: boolean;
}

/** Four items run on w1. A commit takes a while. */
async function bench(write: (verb: () => Promise<unknown>) => Promise<unknown> = (verb) => verb()): Promise<Bench> {
  const ledger = createMemoryLedger();
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
  const writer: LedgerWriter = { write: async (verb) => (made.isHolder ? ((await write(verb)) as never) : null) };
  const commit: Ledger['commit'] = async (epoch, request) => {
    made.requests.push(request);
    const reply = await ledger.commit(epoch, request);
    await settlePromises();
    if (made.isLosing) {
      made.isLosing = false;
      throw new Error('the reply was lost');
    }
    made.done.push('in the ledger');
    return reply;
  };
  const tell: CycleOptions['tell'] = (fact) => {
    made.done.push(fact.kind);
    made.told.push(fact);
    made.onTold(fact);
  };
  const append: ResultLog['append'] = async (frames) => {
    if (made.isFull) return { kind: 'full', reason: 'no room' };
    made.done.push(`append ${frames.length}`);
    await settlePromises();
    made.done.push(`synced ${frames.length}`);
    return { kind: 'appended' };
  };
  const onFailure = (cause: unknown): void => void made.done.push(`failed ${String(cause)}`);
  const onFull = (reason: string): void => void made.done.push(`full: ${reason}`);
  const writes = noWrites();
  const cycle = createCycle({ epoch: 0, log: { append }, ledger: { commit }, writer, tell, onFailure, onFull, writes });
  const made: Bench = {
    cycle,
    ledger,
    requests: [],
    told: [],
    writes,
    done: [],
    onTold: () => undefined,
    isHolder: true,
    isFull: false,
    isLosing: false,
  };
  return made;
}

function recording(index: number, worker = 'w1'): Recording {
  const outcome = { index, attempt: 1, claimEpoch: 0, kind: 'result', line: Buffer.from('{}'), httpStatus: 200, code: '' } as const;
  return { worker, outcome: { ...outcome, isRetryable: false, isProbe: false, delayMs: 0 } };
}

const returned = (index: number): HandBack => back(index, row('w1'));

async function settled(): Promise<void> {
  for (let n = 0; n < 6; n += 1) await settlePromises();
}

function sizes({ requests }: Bench): readonly (readonly number[])[] {
  return requests.map(({ settles, handBacks, claims }) => [settles.length, handBacks.length, claims.length]);
}

test('L16, L18: what is recorded is on disk before it is settled, and the machine hears of all that is committed together', async (t) => {
  const made = await bench();
  made.cycle.record([recording(0), recording(1)]);
  made.cycle.handBack([returned(2)]);
  made.cycle.claim([{ worker: 'w2', picks: [{ cursor: 4, count: 3 }] }]);
  await settled();
  t.deepEqual(sizes(made), [[2, 1, 1]]);
  t.deepEqual(made.done, ['append 2', 'synced 2', 'in the ledger', 'committed']);
  t.like(made.told, [
    {
      recordings: [recording(0), recording(1)],
      verdicts: ['accepted', 'accepted'],
      returns: [returned(2)],
      handedBack: [{ kind: 'returned' }],
      claimed: [{ kind: 'claimed', granted: [{ from: 4, count: 3, attempt: 1 }] }],
    },
  ]);
});

test('while one cycle is under way the next gathers, also what the machine commands when it hears of the first', async (t) => {
  const made = await bench();
  made.onTold = () => {
    if (made.requests.length === 1) made.cycle.claim([{ worker: 'w2', picks: [{ cursor: 4, count: 1 }] }]);
  };
  made.cycle.record([recording(0)]);
  await Promise.resolve();
  made.cycle.record([recording(1)]);
  made.cycle.handBack([returned(2)]);
  made.cycle.record([recording(3, 'w1')]);
  await settled();
  t.deepEqual(sizes(made), [
    [1, 0, 0],
    [2, 1, 1],
  ]);
});

test('L8, L20: a commit of unknown fate is asked again exactly as it was, and what it did counts once', async (t) => {
  const made = await bench((verb) => verb().catch(verb));
  made.isLosing = true;
  made.cycle.record([recording(0)]);
  made.cycle.handBack([back(1, row('w1'), 'failed')]);
  made.cycle.claim([{ worker: 'w2', picks: [{ cursor: 4, count: 1 }] }]);
  await settled();
  t.is(made.requests[0], made.requests[1]);
  t.like(made.told, [
    {
      verdicts: ['recorded'],
      handedBack: [{ kind: 'returned', faults: { failures: 1 } }],
      claimed: [{ granted: [], found: [{ index: 4, row: row('w2') }] }],
    },
  ]);
});

test('L5: a coordinator that has lost the lease appends nothing, and tells the machine nothing', async (t) => {
  const made = await bench();
  made.isHolder = false;
  made.cycle.record([recording(0)]);
  made.cycle.handBack([returned(1)]);
  await settled();
  t.deepEqual(made.done, []);
});

test('where the results have no room, nothing is settled, and it is told why', async (t) => {
  const made = await bench();
  made.isFull = true;
  made.cycle.record([recording(0)]);
  made.cycle.handBack([returned(1)]);
  await settled();
  t.deepEqual([made.done, made.requests], [['full: no room'], []]);
});

test('L16: of a finished run every outcome is recorded, and every claim is gone', async (t) => {
  const made = await bench();
  made.cycle.record([0, 1, 2, 3].map((index) => recording(index)));
  await settled();
  await made.ledger.finish({ epoch: 0, serial: 9 }, 4);
  made.cycle.record([recording(0)]);
  made.cycle.claim([{ worker: COORDINATOR_WORKER, picks: [{ cursor: 4, count: 1 }] }]);
  await settled();
  t.like(made.told.slice(1), [{ verdicts: ['recorded'], returns: [], handedBack: [], claimed: [{ kind: 'gone' }] }]);
});

test('a commit that fails for good is told once, and nothing is written after it', async (t) => {
  const made = await bench(() => Promise.reject(new Error('broken')));
  made.cycle.record([recording(0)]);
  await settled();
  made.cycle.record([recording(1)]);
  await settled();
  t.deepEqual(made.done, ['failed Error: broken']);
});

test('what has been written is counted, and what was refused is not', async (t) => {
  const made = await bench();
  made.cycle.record([recording(0), recording(1)]);
  await settled();
  made.cycle.handBack([returned(2)]);
  await settled();
  t.deepEqual(made.writes, { appends: 1, outcomes: 2, bytes: 4, commits: 2 });
  made.isFull = true;
  made.cycle.record([recording(3)]);
  await settled();
  made.isFull = false;
  made.isHolder = false;
  made.cycle.handBack([returned(3)]);
  await settled();
  t.deepEqual(made.writes, { appends: 1, outcomes: 2, bytes: 4, commits: 2 });
});
