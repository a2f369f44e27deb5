import type { Mutant } from './mutant.ts';

const WORKER = ['test/integration/worker.test.ts'];
const FENCE = ['test/integration/fence.test.ts'];

/** Faults in what joins the parts of a process: each part does its work, and another one does not hear of it. */
export const WIRING_MUTANTS: readonly Mutant[] = [
  {
    name: 'log-not-wired-to-the-cycle',
    rule: 'L18',
    file: 'runtime/coordinator/serve.ts',
    old: 'createCycle({ epoch, log: recovered.log, ledger, writer,',
    new: 'createCycle({ epoch, log: { append: async () => undefined }, ledger, writer,',
    tests: ['test/integration/coordinator-invalid.test.ts'],
  },
  {
    name: 'cycle-writes-without-the-lease',
    rule: 'L5',
    file: 'runtime/coordinator/serve.ts',
    old: 'createCycle({ epoch, log: recovered.log, ledger, writer,',
    new: 'createCycle({ epoch, log: recovered.log, ledger, writer: { write: async (verb) => (await verb()) as never },',
    tests: FENCE,
  },
  {
    name: 'end-of-the-run-not-wired',
    rule: 'C4',
    file: 'runtime/coordinator/serve.ts',
    old: "      end.come(kind === 'stalled' ? { kind, reason } : { kind });\n",
    new: '',
    tests: ['test/integration/coordinator-invalid.test.ts'],
  },
  {
    name: 'failure-timeout-not-the-set-one',
    rule: 'C1',
    file: 'runtime/coordinator/serve.ts',
    old: 'return { ...timing, drainTimeoutMs,',
    new: 'return { ...timing, coordinatorFailureTimeoutMs: timing.coordinatorFailureTimeoutMs / 3, drainTimeoutMs,',
    tests: ['test/e2e/timing.test.ts'],
  },
  {
    name: 'deposed-coordinator-waits-for-what-is-under-way',
    rule: 'L5',
    file: 'runtime/coordinator/lead.ts',
    old: '  await inTime(clock, LEAVE_MS, Promise.allSettled([work, kept]));\n',
    new: '  await Promise.allSettled([work]);\n',
    tests: FENCE,
  },
  {
    name: 'seen-epoch-not-kept',
    rule: 'L3',
    file: 'runtime/coordinator/boot/lease-candidate.ts',
    old: 'onSeen: (epoch) => seenEpochs.keep(epoch),',
    new: 'onSeen: async () => undefined,',
    tests: ['test/e2e/host-marks.test.ts'],
  },
  {
    name: 'fencing-not-announced',
    rule: 'L5',
    file: 'runtime/coordinator/lead.ts',
    old: '    announceFencing({ ...options, leaseHolder });\n',
    new: '    void announceFencing;\n',
    tests: FENCE,
  },
  {
    name: 'fencing-ends-nothing',
    rule: 'L5',
    file: 'runtime/lease/holder.ts',
    old: "    if (this.#holding.kind === 'fenced') this.#fenced.abort(fencedBy(byEpoch));\n",
    new: '',
    tests: ['test/unit/lease/*.test.ts'],
  },
  {
    name: 'answers-to-beats-not-wired',
    rule: 'W3',
    file: 'runtime/worker/work.ts',
    old: '    onBeat: (beat) => loop.onBeat(beat),\n',
    new: '    onBeat: () => undefined,\n',
    tests: WORKER,
  },
  {
    name: 'found-outcomes-not-given-to-the-machine',
    rule: 'L34',
    file: 'runtime/worker/work.ts',
    old: 'outbox.highestEpoch, outbox.found, clock.monotonicMs()',
    new: 'outbox.highestEpoch, [], clock.monotonicMs()',
    tests: WORKER,
  },
  {
    name: 'seen-epoch-not-given-to-the-machine',
    rule: 'L33',
    file: 'runtime/worker/work.ts',
    old: 'outbox.highestEpoch, outbox.found, clock.monotonicMs()',
    new: '0, outbox.found, clock.monotonicMs()',
    tests: WORKER,
  },
];
