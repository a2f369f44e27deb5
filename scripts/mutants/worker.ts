import type { Mutant } from './mutant.ts';

const UNIT = ['test/unit/worker/*.test.ts'];

/** Faults in what the worker decides. */
export const WORKER_MUTANTS: readonly Mutant[] = [
  {
    name: 'epoch-guard-off',
    rule: 'W1',
    file: 'runtime/worker/epoch-guard.ts',
    old: 'return epoch < guard.highestEpoch;',
    new: 'return false;',
    tests: UNIT,
  },
  {
    name: 'sent-before-it-is-durable',
    rule: 'L34',
    file: 'runtime/worker/holding.ts',
    old: "  moveTo(state, held, { kind: 'storing', outcome });\n",
    new: "  moveTo(state, held, { kind: 'finished', outcome });\n",
    tests: UNIT,
  },
  {
    name: 'forgotten-on-any-epoch',
    rule: 'L34',
    file: 'runtime/worker/machine.ts',
    old: '  if (isDeposed(state.guard, reply.epoch)) {\n    leaveCoordinator(state);\n',
    new: "  if (isDeposed(state.guard, reply.epoch)) {\n    if (reply.status === 'ok') forget(state, [...reply.acknowledged, ...reply.stale]);\n    leaveCoordinator(state);\n",
    tests: UNIT,
  },
  {
    name: 'started-items-released',
    rule: 'L32',
    file: 'runtime/worker/holding.ts',
    old: "if (held?.stage.kind === 'queued') giveBack(state, held, { reason: 'recalled' });",
    new: "if (held?.stage.kind === 'queued' || held?.stage.kind === 'started') giveBack(state, held, { reason: 'recalled' });",
    tests: UNIT,
  },
  {
    name: 'assigned-twice-taken-twice',
    rule: 'L35',
    file: 'runtime/worker/holding.ts',
    old: '  if (siblings.some((held) => held.ref.attempt >= assignment.attempt)) return;\n',
    new: '',
    tests: UNIT,
  },
  {
    name: 'self-fence-off',
    rule: 'W2',
    file: 'runtime/worker/epoch-guard.ts',
    old: 'return nowMs - guard.lastValidMs > selfFenceTimeoutMs;',
    new: 'return nowMs - guard.lastValidMs > selfFenceTimeoutMs * 1_000;',
    tests: UNIT,
  },
  {
    name: 'outcome-after-hand-back',
    rule: 'L36',
    file: 'runtime/worker/execution.ts',
    old: "const isWanted = held?.stage.kind === 'started';",
    new: "const isWanted = held?.stage.kind === 'started' || held?.stage.kind === 'returning';",
    tests: UNIT,
  },
  {
    name: 'outbox-not-synced',
    rule: 'L34',
    file: 'runtime/worker/outbox.ts',
    old: 'readOnly, overlappingSync: false,',
    new: 'readOnly, noSync: true, overlappingSync: false,',
    tests: ['test/integration/on-disk.test.ts'],
  },
];
