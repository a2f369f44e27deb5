import test from 'ava';
import { AssertionFailed, assert, assertNever, mustGet } from '../../../runtime/base/assert.ts';

test('what does not hold is an AssertionFailed with its message', (t) => {
  t.notThrows(() => assert(true, 'holds'));
  t.throws(() => assert(false, 'a row from the future'), { instanceOf: AssertionFailed, message: 'a row from the future' });
});

test('a value that is there is handed on, also where it is falsy', (t) => {
  t.is(mustGet(0, 'count'), 0);
  t.is(mustGet('', 'text'), '');
  t.throws(() => mustGet(undefined, 'lease'), { message: 'missing: lease' });
  t.throws(() => mustGet(null, 'lease'), { message: 'missing: lease' });
});

test('a case that the types ruled out is told with its value', (t) => {
  t.throws(() => assertNever('third' as never), { instanceOf: AssertionFailed, message: /"third"/ });
});
