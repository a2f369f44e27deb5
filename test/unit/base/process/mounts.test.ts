import test from 'ava';
import { mountOf, parseMounts } from '../../../../runtime/base/process/mounts.ts';

const MOUNTINFO = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
  '30 22 0:25 / /mnt/my\\040disk rw,nosuid shared:9 master:2 - fuse.sshfs host:/x rw,user_id=0',
  '31 22 0:26 / /mnt rw - tmpfs tmpfs rw',
  '32 31 0:27 / /mnt/over rw - ext4 /dev/sdb rw',
  '33 31 0:28 / /mnt/over rw - nfs4 server:/y rw',
  'half a line',
  '',
].join('\n');

test('mounts are read with their place and file system, blanks in names and optional fields included', (t) => {
  const mounts = parseMounts(MOUNTINFO);
  t.is(mounts.length, 5);
  t.deepEqual(mounts[1], { at: '/mnt/my disk', fileSystem: 'fuse.sshfs' });
  t.deepEqual(parseMounts(''), []);
});

test('a path lies on the nearest mount above it, and on the last one where several have the same place', (t) => {
  const mounts = parseMounts(MOUNTINFO);
  const cases: readonly (readonly [path: string, fileSystem: string])[] = [
    ['/', 'ext4'],
    ['/srv/a', 'ext4'],
    ['/mnt', 'tmpfs'],
    ['/mntx', 'ext4'],
    ['/mnt/my disk', 'fuse.sshfs'],
    ['/mnt/my disk/run/store', 'fuse.sshfs'],
    ['/mnt/over/a', 'nfs4'],
  ];
  for (const [path, fileSystem] of cases) t.is(mountOf(mounts, path)?.fileSystem, fileSystem, path);
  t.is(mountOf([], '/a'), null);
});
