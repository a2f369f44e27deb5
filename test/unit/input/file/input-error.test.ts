import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { fromErrorMessage, inputChanged, toErrorMessage, unreadable } from '../../../../runtime/input/file/input-error.ts';

const systemError = (code: string): Error => Object.assign(new Error(`${code}: as the system says`), { code });

test('an input that cannot be read is named, with what a person can do', (t) => {
  t.regex(unreadable('/a/b', systemError('ENOENT')).message, /the input \/a\/b: there is no such file: check the path/);
  t.regex(unreadable('/a/b', systemError('EACCES')).message, /check its permissions/);
  t.regex(unreadable('/a/b', systemError('EIO')).message, /the input \/a\/b: the disk has failed/);
  t.regex(unreadable('/a/b', systemError('EXDEV')).message, /EXDEV: as the system says/);
});

test('an error keeps its code and message on the way between threads', (t) => {
  const error = fromErrorMessage(structuredClone(toErrorMessage(inputChanged('/a/b', 'was changed'))));
  t.true(error instanceof RolloutError);
  t.like(error, { code: 'INPUT_CHANGED' });
  t.regex(error.message, /\/a\/b was changed while the run was using it/);
  const other = fromErrorMessage(toErrorMessage(new TypeError('odd')));
  t.false(other instanceof RolloutError);
  t.regex(other.message, /TypeError: odd/);
});
