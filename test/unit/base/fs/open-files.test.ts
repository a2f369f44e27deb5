import test from 'ava';
import { isOutOfFiles, limitIn, openFilesLimit } from '../../../../runtime/base/fs/open-files.ts';

test('the soft limit is read; where nothing is said, or there is none, it is not known', (t) => {
  t.is(limitIn('Limit  Soft Limit  Hard Limit  Units\nMax open files            40                   80                 files\n'), 40);
  t.is(limitIn('Max open files            unlimited            unlimited            files\n'), null);
  t.is(limitIn(''), null);
  if (process.platform === 'linux') t.true((openFilesLimit() ?? 0) > 0);
});

test('a lack of files is known by the system’s code', (t) => {
  t.true(isOutOfFiles(Object.assign(new Error('open'), { code: 'EMFILE' })));
  t.true(isOutOfFiles(Object.assign(new Error('open'), { code: 'ENFILE' })));
  t.false(isOutOfFiles(new Error('EMFILE')));
  t.false(isOutOfFiles(null));
});
