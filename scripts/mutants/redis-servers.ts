import type { Mutant } from './mutant.ts';

const CLUSTER = ['test/integration/redis-cluster.test.ts'];
const SENTINEL = ['test/integration/redis-sentinel.test.ts'];

/** Faults in how a run finds and follows its primary. */
export const REDIS_SERVER_MUTANTS: readonly Mutant[] = [
  {
    name: 'slot-that-has-moved-not-followed',
    rule: 'L20',
    file: 'runtime/ledger/redis/connection.ts',
    old: 'reconnectOnError: ({ message }) => hasMoved(message),',
    new: 'reconnectOnError: null,',
    tests: CLUSTER,
  },
  {
    name: 'node-without-the-slot-taken-for-the-one',
    rule: 'L16',
    file: 'runtime/ledger/redis/primary.ts',
    old: 'address: redirected(said, seed) ?? seed,',
    new: 'address: seed,',
    tests: CLUSTER,
  },
  {
    name: 'several-servers-by-themselves-taken-for-one',
    rule: 'L3',
    file: 'runtime/ledger/redis/primary.ts',
    old: 'else if (seeds.length === 1) {',
    new: 'else {',
    tests: CLUSTER,
  },
  {
    name: 'replica-that-a-sentinel-names-taken-for-the-primary',
    rule: 'L40',
    file: 'runtime/ledger/redis/primary.ts',
    old: "  if (role === 'replica') throw stillReplica(address, sentinel);\n",
    new: '',
    tests: SENTINEL,
  },
  {
    name: 'client-gives-up-where-no-primary-is-found',
    rule: 'L20',
    file: 'runtime/ledger/redis/connector.ts',
    old: '.then((address) => this.#open(address), nowhere);',
    new: '.then((address) => this.#open(address));',
    tests: SENTINEL,
  },
];
