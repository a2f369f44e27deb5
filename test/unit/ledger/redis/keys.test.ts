import test from 'ava';
import { KEY_COUNT, keyOf, keysOf } from '../../../../runtime/ledger/redis/keys.ts';

test('all keys of a run share one hash tag, so that a cluster keeps them in one slot', (t) => {
  const keys = keysOf('run-1');
  t.is(keys.length, KEY_COUNT);
  t.is(new Set(keys).size, KEY_COUNT);
  t.true(keys.every((key) => key.startsWith('rollout:{run-1}:')));
  t.deepEqual(keys.slice(-1), [keyOf('run-1', 'segments')]);
});
