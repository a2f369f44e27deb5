import { tmpdir } from 'node:os';
import test from 'ava';
import { networkFileSystem, requireLocalDisk } from '../../../../runtime/ledger/embedded/disk.ts';

test('network file systems are known by their type, also where it is told as a negative number', (t) => {
  t.is(networkFileSystem(0x6969), 'NFS');
  t.is(networkFileSystem(0xff534d42), 'CIFS');
  t.is(networkFileSystem(0xff534d42 - 2 ** 32), 'CIFS');
  for (const local of [0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630]) t.is(networkFileSystem(local), null);
});

test('a store on a network file system is refused with what to do', async (t) => {
  const error = await t.throwsAsync(
    requireLocalDisk('/some/where', async () => 0x6969),
    { code: 'NETWORK_FILE_SYSTEM' },
  );
  t.regex(error?.message ?? '', /\/some\/where.*NFS.*--state/);
  await t.notThrowsAsync(requireLocalDisk(tmpdir()));
});
