import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { isNoSpace } from '../../../../runtime/base/fs/disk-space.ts';
import { isSystemError, stateUnreadable, stateUnwritable } from '../../../../runtime/base/fs/state-error.ts';

const systemError = (code: string): Error => Object.assign(new Error(`${code}: as the system says`), { code });

for (const [code, advice] of [
  ['ENOSPC', /no space is left: free some, or choose another place with --state/],
  ['EDQUOT', /quota.*no space is left: free some/],
  ['EACCES', /owner and the mode/],
  ['EPERM', /forbids it/],
  ['EROFS', /read-only/],
  ['EIO', /the disk has failed: the log of the system.*another disk/],
  ['ENOENT', /its directory is gone/],
  ['EISDIR', /is a directory/],
  ['EMFILE', /ulimit -n/],
  ['ENFILE', /end other programs/],
  ['EXDEV', /check its owner and mode/],
] as const) {
  test(`a file of the run that cannot be read or written for ${code} is named, with the cause and the way out`, (t) => {
    const cause = systemError(code);
    const [read, written] = [stateUnreadable('/state/run.json', cause), stateUnwritable('/state/run.json', cause)];
    t.like(read, { code: 'STATE_UNREADABLE', cause });
    t.like(written, { code: 'STORE_FAILED', cause });
    t.true(read.message.startsWith(`cannot read /state/run.json (${code}: as the system says): `));
    t.true(written.message.startsWith(`cannot write /state/run.json (${code}: as the system says): `));
    t.regex(written.message, advice);
  });
}

test('a full disk stays known as one, so that it can be waited for', (t) => {
  t.true(isNoSpace(stateUnwritable('/a', systemError('ENOSPC'))));
  t.false(isNoSpace(stateUnwritable('/a', systemError('EIO'))));
});

test('what has been told by name is told once, and a bug stays a bug', (t) => {
  const told = new RolloutError('STATE_UNREADABLE', 'told');
  t.is(stateUnwritable('/a', told), told);
  t.true(isSystemError(systemError('EIO')));
  for (const error of [told, new TypeError('bug'), 'text', null]) t.false(isSystemError(error));
});
