import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { nextTurn } from '../../runtime/base/clock.ts';
import { OUTBOX_FREE_BYTES, type OutboxOwner } from '../../runtime/worker/outbox/contract.ts';
import { openOutbox } from '../../runtime/worker/outbox/open.ts';
import { scratch } from '../support/scratch.ts';
import { freeBytes, smallDisk } from '../support/small-disk.ts';
import { outcome } from '../support/worker-state.ts';

test('what a worker has to store waits while the disk is short, before anything is written, and is stored when there is space', async (t) => {
  const dir = scratch(t);
  const disk = smallDisk(t, dir, 40);
  let asked = 0;
  let onDiskSpace: () => void = () => undefined;
  const waitForDiskSpace: OutboxOwner['waitForDiskSpace'] = () => {
    asked += 1;
    return new Promise((done) => {
      onDiskSpace = () => done(true);
    });
  };
  const owner: OutboxOwner = { dir, workerId: 'w1', runId: 'run-1', waitForDiskSpace };
  const outbox = await openOutbox(owner);
  await outbox.put([outcome(1)]);
  t.is(asked, 0);
  disk.fill(OUTBOX_FREE_BYTES - 4_096);
  t.true(freeBytes(dir) < OUTBOX_FREE_BYTES);
  const put = outbox.put([outcome(2)]);
  await nextTurn();
  t.is(asked, 1, 'nothing is written to a disk that may not have the room');
  t.is(await Promise.race([put.then(() => 'stored'), sleep(300, 'waiting')]), 'waiting');
  disk.clear();
  onDiskSpace();
  await put;
  await outbox.close();
  const again = await openOutbox({ ...owner, waitForDiskSpace: async () => false });
  t.deepEqual(
    again.found.map(({ index }) => index),
    [1, 2],
  );
  await again.close();
});
