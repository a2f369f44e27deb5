import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { storeFailure } from '../../../../runtime/ledger/embedded/failure.ts';

const coded = (message: string, code: number): Error => Object.assign(new Error(message), { code });

test('a failed commit is told with its true reason and what to do', async (t) => {
  const reason = coded('No space left on device', 28);
  const commit = Object.assign(new Error('Commit failed (see commitError for details)'), { commitError: Promise.reject(reason) });
  const failure = await storeFailure('/d', commit);
  t.like(failure, { code: 'STORE_FAILED', cause: reason });
  t.regex(failure.message, /\/d.*No space left.*space/s);
});

test('a file that is not a store, or a damaged one, is unreadable', async (t) => {
  for (const code of [-30793, -30794, -30796, -30797]) t.like(await storeFailure('/d', coded('MDB_X', code)), { code: 'STATE_UNREADABLE' });
  t.like(await storeFailure('/d', coded('MDB_MAP_FULL', -30792)), { code: 'STORE_FAILED' });
});

test('bugs and errors for people pass as they are', async (t) => {
  const bug = new AssertionFailed('a bug');
  const known = new RolloutError('LEDGER_BEHIND', 'x');
  t.is(await storeFailure('/d', bug), bug);
  t.is(await storeFailure('/d', known), known);
});
