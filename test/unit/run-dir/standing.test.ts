import test from 'ava';
import type { Progress } from '../../../runtime/model/run.ts';
import { namedStore } from '../../../runtime/model/store.ts';
import { ledgerBehind, ledgerExpired, standingOf } from '../../../runtime/run-dir/standing.ts';

const at = (epoch: number): Progress => ({
  ...{ state: { kind: 'running' }, epoch, cursor: 9, running: 1, handedBack: 0, done: 8, failed: 0, redone: 0 },
});
const FINISHED = { epoch: 4, done: 7, failed: 2 };
const STORE = namedStore({ redis: 'redis://there' });

test('L3: a ledger at the epoch that the directory has seen, or above, is believed', (t) => {
  for (const [epoch, seen] of [
    [-1, -1],
    [4, 4],
    [5, 4],
  ] as const)
    t.deepEqual(standingOf(at(epoch), seen, FINISHED), { kind: 'current', progress: at(epoch) });
});

test('L3: one below it is behind, with both epochs', (t) => {
  for (const epoch of [-1, 3]) t.deepEqual(standingOf(at(epoch), 4, null), { kind: 'behind', epoch, seen: 4, ended: null });
  t.regex(
    ledgerBehind({ kind: 'behind', epoch: 3, seen: 4, ended: null }, '/d').message,
    /is at epoch 3, but the run in \/d was at epoch 4/,
  );
  t.regex(ledgerBehind({ kind: 'behind', epoch: -1, seen: 4, ended: null }, '/d').message, /has nothing of this run/);
});

test('a finished run whose keys are gone is told as it ended; one that was reopened since, or of which something is there, is behind', (t) => {
  const expired = standingOf(at(-1), 4, FINISHED);
  t.like(expired, { kind: 'expired', progress: { state: { kind: 'completed' }, epoch: 4, cursor: 9, done: 7, failed: 2, running: 0 } });
  const later = standingOf(at(-1), 5, FINISHED);
  t.is(later.kind, 'behind');
  if (later.kind === 'behind') t.regex(ledgerBehind(later, '/d').message, /ended under epoch 4 with 7 done and 2 failed/);
  t.is(standingOf(at(3), 4, FINISHED).kind, 'behind');
  if (expired.kind !== 'expired') return;
  const error = ledgerExpired(expired, STORE, '/d');
  t.is(error.code, 'LEDGER_EXPIRED');
  t.regex(error.message, /\/d is finished \(7 done, 2 failed\).*no longer on redis:\/\/there.*--redis-expire-after.*--fresh/);
});
