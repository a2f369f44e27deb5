import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { refusalOf, requireCarriedOut, stateOf } from '../../../../runtime/ledger/redis/refusal.ts';

test('a refusal that every verb may give is a value; a reply of its own is none', (t) => {
  t.deepEqual(refusalOf(2, ['fenced', 3]), { kind: 'fenced', epoch: 3 });
  t.deepEqual(refusalOf(2, ['gone', 'p', 'no quota']), { kind: 'gone', state: { kind: 'paused', reason: 'no quota' } });
  t.deepEqual(refusalOf(2, ['gone', 'c', '']), { kind: 'gone', state: { kind: 'completed' } });
  t.deepEqual(refusalOf(2, ['overtaken', 9]), { kind: 'overtaken' });
  t.is(refusalOf(2, ['committed', 9]), null);
  t.deepEqual(stateOf('r', ''), { kind: 'running' });
});

test('L40: a store that is behind, is another one, has lost writes, or contradicts itself is an error', (t) => {
  t.throws(() => refusalOf(2, ['behind', -1]), { code: 'LEDGER_BEHIND', message: /no epoch at all/ });
  t.throws(() => refusalOf(2, ['behind', 1]), { code: 'LEDGER_BEHIND', message: /epoch 1/ });
  t.throws(() => refusalOf(2, ['replaced']), { code: 'LEDGER_BEHIND', message: /another store/ });
  t.throws(() => refusalOf(2, ['lost', 7]), { code: 'LEDGER_LOST_WRITES', message: /lost writes.*write 7/ });
  t.throws(() => refusalOf(2, ['corrupt', 5]), { code: 'LEDGER_CORRUPT', message: /item 5/ });
  t.throws(() => refusalOf(2, ['bug', 'a mistake']), { instanceOf: AssertionFailed, message: /a mistake/ });
});

test('a write that the user of the run may not give is an error that says how to allow it', (t) => {
  t.throws(() => requireCarriedOut(['denied', 'HSET', 'rollout:{a}:head']), {
    code: 'STORE_FAILED',
    message: /HSET on rollout:\{a\}:head.*nothing.*~rollout:\* \+hset/,
  });
  t.notThrows(() => requireCarriedOut(['committed', 1]));
});

test('a run of another format is refused, in whatever form its reply comes', (t) => {
  for (const reply of [
    ['format', '2', '1'],
    [Buffer.from('format'), Buffer.from('2'), Buffer.from('1')],
  ])
    t.throws(() => requireCarriedOut(reply), { code: 'STATE_UNREADABLE', message: /has format 2,.*reads format 1.*--fresh/ });
});
