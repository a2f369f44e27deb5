import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { type DiskNumbers, isNoSpace, shortageOf } from '../../../../runtime/base/fs/disk-space.ts';

function disk(numbers: Partial<DiskNumbers>): DiskNumbers {
  return { bavail: 1_000, bsize: 4_096, files: 10_000, ffree: 5_000, ...numbers };
}

test('L18: too little space is told with the path and with what is free and wanted', (t) => {
  t.is(shortageOf('/d', disk({ bavail: 2 }), 65_536), 'no space in /d: 8.0 KiB are free, 64.0 KiB are wanted');
  t.is(shortageOf('/d', disk({ bavail: 2 }), 8_192), null);
  t.is(shortageOf('/d', disk({ bavail: 0 }), 0), null, 'who wants nothing free waits for nothing');
});

test('L18: a disk with bytes and without room for files has no space; one that does not count files has', (t) => {
  t.regex(shortageOf('/d', disk({ ffree: 3 }), 1) ?? '', /\/d: its file system has room for 3 more files/);
  t.is(shortageOf('/d', disk({ files: 0, ffree: 0 }), 1), null);
});

test('an error of a full disk is known by its code, wherever it stands in the chain of causes', (t) => {
  const full = Object.assign(new Error('x'), { code: 'ENOSPC' });
  t.true(isNoSpace(full));
  t.true(isNoSpace(Object.assign(new Error('quota'), { code: 'EDQUOT' })));
  t.true(isNoSpace(Object.assign(new Error('No space left on device'), { code: 28 })), 'as LMDB passes it on');
  t.true(isNoSpace(new RolloutError('STORE_FAILED', 'y', { cause: full })));
  for (const other of [new Error('ENOSPC'), Object.assign(new Error('x'), { code: 'EIO' }), 'ENOSPC', undefined]) t.false(isNoSpace(other));
});
