import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { isLocal, requireLocalDisk } from '../../../../runtime/base/fs/local-disk.ts';
import { scratch } from '../../../support/scratch.ts';
import { smallDisk } from '../../../support/small-disk.ts';

/** statfs(2) types, from the kernel's magic.h and the modules of those that are not in it. */
const TYPES: readonly (readonly [name: string, type: number, isLocal: boolean])[] = [
  ['ext2, ext3, ext4', 0xef53, true],
  ['XFS', 0x58465342, true],
  ['Btrfs', 0x9123683e, true],
  ['ZFS', 0x2fc12fc1, true],
  ['F2FS', 0xf2f52010, true],
  ['overlay', 0x794c7630, true],
  ['tmpfs', 0x01021994, true],
  ['NFS', 0x6969, false],
  ['CIFS', 0xff534d42, false],
  ['SMB2', 0xfe534d42, false],
  ['AFS', 0x5346414f, false],
  ['Coda', 0x73757245, false],
  ['CephFS', 0x00c36400, false],
  ['Lustre', 0x0bd00bd0, false],
  ['GPFS', 0x47504653, false],
  ['GFS2', 0x01161970, false],
  ['OCFS2', 0x7461636f, false],
  ['BeeGFS', 0x19830326, false],
  ['FUSE and virtiofs', 0x65735546, false],
  ['9p', 0x01021997, false],
  ['vboxsf', 0x786f4256, false],
  ['HGFS', 0xbacbacbc, false],
  ['FAT', 0x4d44, false],
  ['one that nobody knows yet', 0x12345678, false],
];

test('a file system is local only where it is known to belong to one machine', (t) => {
  for (const [name, type, expected] of TYPES) {
    t.is(isLocal({ type }), expected, name);
    t.is(isLocal({ type: type | 0 }), expected, `${name}, told as a signed number`);
  }
});

test('one that is not known is refused with its name, the directory and the way out', async (t) => {
  const cases: readonly (readonly [found: { type: number; name: string | null }, said: RegExp])[] = [
    [{ type: 0x65735546, name: 'fuse.sshfs' }, /^\/some\/where lies on fuse\.sshfs, .*--state DIR.*stateDir/],
    [{ type: 0x19830326, name: null }, /lies on a file system of type 0x19830326, /],
    [{ type: 0xff534d42 | 0, name: null }, /lies on a file system of type 0xff534d42, /],
  ];
  for (const [found, said] of cases) {
    await t.throwsAsync(
      requireLocalDisk('/some/where', async () => found),
      { code: 'NETWORK_FILE_SYSTEM', message: said },
    );
  }
});

test('the disk of temporary files and a tmpfs are local; what the kernel itself shows as files is not, and is named', async (t) => {
  const dir = join(scratch(t), 'disk');
  mkdirSync(dir);
  smallDisk(t, dir, 1);
  await t.notThrowsAsync(requireLocalDisk(dir));
  await t.notThrowsAsync(requireLocalDisk(tmpdir()));
  await t.throwsAsync(requireLocalDisk('/proc/self'), { code: 'NETWORK_FILE_SYSTEM', message: /^\/proc\/self lies on proc, / });
});
