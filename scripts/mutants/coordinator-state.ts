import type { Mutant } from './mutant.ts';

const UNIT = ['test/unit/coordinator/**/*.test.ts'];

/** Faults that leave two parts of the coordinator's state in disagreement, and that only `checkState` notices at once. */
export const COORDINATOR_STATE_MUTANTS: readonly Mutant[] = [
  {
    name: 'former-host-not-asked',
    rule: 'C11',
    file: 'runtime/coordinator/dispatch/isolation.ts',
    old: '  if (host?.worker !== poison.host?.worker) release(state);\n',
    new: '',
    tests: UNIT,
  },
  {
    name: 'what-waited-is-not-judged',
    rule: 'L19',
    file: 'runtime/coordinator/machine/machine.ts',
    old: '  judgeReopened(state);\n',
    new: '  state.reopened.splice(0);\n',
    tests: UNIT,
  },
  {
    name: 'thief-goes-on-waiting',
    rule: 'L32',
    file: 'runtime/coordinator/state/items.ts',
    old: '  if (live.recalledFor !== null) awaitNoMore(state, live.recalledFor, index);\n',
    new: '',
    tests: UNIT,
  },
  {
    name: 'fresh-item-recorded-twice',
    rule: 'L19',
    file: 'runtime/coordinator/state/items.ts',
    old: '  if (fresh.isRecording(index)) return false;\n',
    new: '',
    tests: UNIT,
  },
  {
    name: 'fresh-item-judged-for-any-row',
    rule: 'L19',
    file: 'runtime/coordinator/items/judge.ts',
    old: ' && claim !== undefined && isRowOf(claim.row, worker, outcome)',
    new: ' && claim !== undefined',
    tests: UNIT,
  },
  {
    name: 'object-of-a-fresh-item-forgets-its-lock',
    rule: 'L19',
    file: 'runtime/coordinator/state/item-table.ts',
    old: "fresh.isRecording(index) ? 'recording' : null",
    new: 'null',
    tests: UNIT,
  },
  {
    name: 'object-of-a-fresh-item-forgets-that-it-started',
    rule: 'L32',
    file: 'runtime/coordinator/state/item-table.ts',
    old: '[fresh.isStarted(index), fresh.sinceMsOf(index)]',
    new: '[false, fresh.sinceMsOf(index)]',
    tests: UNIT,
  },
  {
    name: 'restored-item-stays-queued',
    rule: 'L44',
    file: 'runtime/coordinator/items/restore.ts',
    old: '  unqueue(state, new Set(items.map(({ index }) => index)));\n',
    new: '',
    tests: UNIT,
  },
  {
    name: 'acknowledged-and-not-told',
    rule: 'C11',
    file: 'runtime/coordinator/state/workers.ts',
    old: '  state.dirty.add(id);\n  ownWorkers(state).get(id)?.[what]',
    new: '  ownWorkers(state).get(id)?.[what]',
    tests: UNIT,
  },
  {
    name: 'row-kept-by-its-former-worker',
    rule: 'L31',
    file: 'runtime/coordinator/state/workers.ts',
    old: '  owner.items.delete(index);\n',
    new: '',
    tests: UNIT,
  },
];
