import test from 'ava';
import type { Verdict } from '../../../../runtime/ledger/contract.ts';
import type { InFlight } from '../../../../runtime/ledger/rows.ts';
import { look } from '../../../../runtime/ledger/rules/settle.ts';
import type { Row } from '../../../../runtime/model/row.ts';
import { decideSettle } from '../../../support/commit-parts.ts';
import { handedBack, rowsOf, running, twice } from '../../../support/ledger-rows.ts';

const row = (worker: string, attempt: number, claimEpoch: number): Row => ({ worker, attempt, claimEpoch });

/** Of two attempts the second was handed back first. */
const HANDED_BACK_FIRST_ROW: InFlight = { ...handedBack('w1', 1, 3), lastAttempt: 2 };

/** One item in this state, judged for this claimant, by both verbs. */
const TABLE: [string, InFlight | 'done' | 'failed' | 'fresh', Row, Verdict][] = [
  ['its own row', running('w1', 2, 1), row('w1', 2, 1), 'live'],
  ['another worker', running('w1', 2, 1), row('w2', 2, 1), 'stale'],
  ['another attempt', running('w1', 2, 1), row('w1', 1, 1), 'stale'],
  ['another claim epoch', running('w1', 2, 1), row('w1', 2, 3), 'stale'],
  ['the coordinator, of a running item', running('w1', 2, 1), row('coordinator', 2, 1), 'stale'],
  ['the first of two rows', twice(), row('w1', 1, 3), 'live'],
  ['the second of two rows', twice(), row('w2', 2, 3), 'live'],
  ['two rows, by one’s worker and the other’s attempt', twice(), row('w1', 2, 3), 'stale'],
  ['two rows, by the coordinator', twice(), row('coordinator', 2, 3), 'stale'],
  ['running, by an attempt that was handed back beside it', { ...running('w1', 1, 3), lastAttempt: 2 }, row('w2', 2, 3), 'stale'],
  ['handed back, by the row taken last, below the last attempt', HANDED_BACK_FIRST_ROW, row('w1', 1, 3), 'live'],
  ['handed back, by the coordinator as the row taken last', HANDED_BACK_FIRST_ROW, row('coordinator', 1, 3), 'live'],
  ['handed back, by the row that was not taken last', HANDED_BACK_FIRST_ROW, row('w2', 2, 3), 'stale'],
  [
    'handed back, by the coordinator as the last attempt, whose row was not taken last',
    HANDED_BACK_FIRST_ROW,
    row('coordinator', 2, 3),
    'stale',
  ],
  ['handed back, by the row it was taken from', handedBack('w1', 2, 1), row('w1', 2, 1), 'live'],
  ['handed back, by an older attempt', handedBack('w1', 2, 1), row('w1', 1, 1), 'stale'],
  ['handed back, by another worker', handedBack('w1', 2, 1), row('w2', 2, 1), 'stale'],
  ['handed back, by the coordinator as the last attempt', handedBack('w1', 2, 1), row('coordinator', 2, 1), 'live'],
  ['handed back, by the coordinator as another attempt', handedBack('w1', 2, 1), row('coordinator', 3, 1), 'stale'],
  ['done', 'done', row('w1', 2, 1), 'recorded'],
  ['failed', 'failed', row('w9', 9, 0), 'recorded'],
  ['never claimed', 'fresh', row('w1', 1, 3), 'stale'],
];

for (const [name, item, claimant, verdict] of TABLE) {
  test(`L10, L11, L13, L15: ${name} is ${verdict}`, (t) => {
    const rows = rowsOf({
      head: { cursor: item === 'fresh' ? 0 : 1 },
      inFlight: typeof item === 'object' ? { 0: item } : {},
      done: item === 'done' ? [0] : [],
      failed: item === 'failed' ? [0] : [],
    });
    t.deepEqual(look(rows, 3, [{ index: 0, row: claimant }]), { reply: { kind: 'looked', verdicts: [verdict] }, writes: null });
    const outcome = { index: 0, attempt: claimant.attempt, claimEpoch: claimant.claimEpoch, isResult: false };
    const settled = decideSettle(rows, 3, claimant.worker, [outcome]);
    t.deepEqual(settled.reply, { kind: 'settled', verdicts: [verdict === 'live' ? 'accepted' : verdict] });
    t.deepEqual([...(settled.writes?.items ?? [])], verdict === 'live' ? [[0, { state: 'failed' }]] : []);
  });
}
