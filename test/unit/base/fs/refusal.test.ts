import test from 'ava';
import { explained } from '../../../../runtime/base/fs/refusal.ts';

const systemError = (code: string): Error => Object.assign(new Error(code), { code });

test('a refusal is told with what it means and what the caller says can be done', (t) => {
  t.is(explained(systemError('EROFS'), { EROFS: 'mount it' }), 'the file system is mounted read-only: mount it');
  t.is(explained(systemError('ENOENT'), { ENOENT: 'make it' }), 'make it', 'what is missing, the caller says');
  t.is(explained(systemError('ELOOP'), {}), 'its links go round in a circle');
});

test('what can be done about open files is the same for all, and for what has no remedy the caller has one', (t) => {
  t.regex(explained(systemError('EMFILE'), {}, 'other') ?? '', /too many files open: raise the limit/);
  t.is(explained(systemError('EIO'), {}, 'other'), 'the disk has failed: other');
  t.is(explained(systemError('EXDEV'), {}, 'other'), 'other');
  t.is(explained(systemError('EXDEV'), {}), null);
  t.is(explained(new Error('no code'), {}), null);
});
