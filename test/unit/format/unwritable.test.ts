import test from 'ava';
import { isKept, ofAnotherUser, unwritable } from '../../../runtime/format/unwritable.ts';

for (const [code, advice] of [
  ['EACCES', /may not do that: change the permissions/],
  ['EPERM', /forbids it to this user: change the owner/],
  ['EROFS', /mounted read-only/],
  ['ENAMETOOLONG', /name a shorter one/],
  ['ENOENT', /make the directory/],
  ['ENOTDIR', /no directory: name a file in a directory/],
  ['ELOOP', /circle/],
  ['ENOSPC', /free some space there/],
  ['EDQUOT', /quota.*free some space/],
  ['EMFILE', /ulimit -n/],
  ['ENFILE', /end other programs/],
] as const) {
  test(`a file that cannot be written for ${code} is told with the path, the cause and a way out`, (t) => {
    const cause = Object.assign(new Error(`${code}: said the system`), { code });
    const error = unwritable('/data/out.jsonl', cause);
    t.is(error.code, 'OUTPUT_UNWRITABLE');
    t.true(error.message.startsWith(`cannot write /data/out.jsonl: ${code}: said the system; `));
    t.regex(error.message, advice);
    t.is(error.cause, cause);
  });
}

test('a cause that is not known is told as the system tells it', (t) => {
  t.is(unwritable('/out', new Error('EIO: i/o error')).message, 'cannot write /out: EIO: i/o error');
});

test('another user’s file in a folder such as /tmp may be replaced by root and by the owners alone', (t) => {
  const [file, tmp, plain] = [
    { uid: 1, mode: 0o100644 },
    { uid: 2, mode: 0o41777 },
    { uid: 2, mode: 0o40777 },
  ] as const;
  t.true(isKept(file, tmp, 3));
  for (const user of [0, 1, 2]) t.false(isKept(file, tmp, user));
  t.false(isKept(file, plain, 3));
  t.regex(ofAnotherUser('/tmp/out').message, /^cannot replace \/tmp\/out: .*name another file$/);
});
