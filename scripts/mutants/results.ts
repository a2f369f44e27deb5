import type { Mutant } from './mutant.ts';

const LOG = ['test/unit/results/*.test.ts', 'test/integration/log-kill.test.ts'];

/** Faults between the result log and the ledger, and in who reads the log. */
export const RESULTS_MUTANTS: readonly Mutant[] = [
  {
    name: 'append-not-synced',
    rule: 'L18',
    file: 'runtime/results/log.ts',
    old: '        await this.#sink.sync();\n',
    new: '',
    tests: LOG,
  },
  {
    name: 'log-goes-on-after-a-failure',
    rule: 'L18',
    file: 'runtime/results/log.ts',
    old: 'for (const waiting of [...group, ...this.#waiting.splice(0)]) waiting.reject(this.#failure);',
    new: 'this.#failure = null;\n    for (const waiting of group) waiting.resolve();',
    tests: LOG,
  },
  {
    name: 'settle-before-append',
    rule: 'L18',
    file: 'runtime/coordinator/recorder.ts',
    old: '  await options.log.append(batch.map(({ outcome }) => outcome));\n',
    new: '  options.log.append(batch.map(({ outcome }) => outcome)).catch(options.onFailure);\n',
    tests: ['test/unit/coordinator/recorder.test.ts'],
  },
  {
    name: 'unknown-settle-taken-for-known',
    rule: 'L20',
    file: 'runtime/coordinator/recorder.ts',
    old: 'ledger.settle(log.epoch, worker, recordings.map(settlementOf))',
    new: "ledger.settle(log.epoch, worker, recordings.map(settlementOf)).catch(() => ({ kind: 'settled' as const, verdicts: recordings.map(() => 'recorded' as const) }))",
    tests: ['test/unit/coordinator/recorder.test.ts'],
  },
  {
    name: 'torn-tail-read-past',
    rule: 'L17',
    file: 'runtime/results/segment-reader.ts',
    old: "      if (decoded.kind === 'bad') this.#problem = decoded.problem;\n",
    new: "      if (decoded.kind === 'bad') {\n        this.#advance(1);\n        continue;\n      }\n",
    tests: LOG,
  },
];
