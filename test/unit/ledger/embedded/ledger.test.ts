import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { openDatabase } from '../../../../runtime/ledger/embedded/database.ts';
import { KEY } from '../../../../runtime/ledger/embedded/keys.ts';
import { openEmbeddedLedger, openLedgerReadOnly } from '../../../../runtime/ledger/embedded/ledger.ts';
import { COORDINATOR_WORKER } from '../../../../runtime/model/row.ts';
import { Candidate } from '../../../support/candidate.ts';
import { claim, handBack, settle } from '../../../support/commit-parts.ts';
import { back, by, claimed, move, outcome, request, row, scanned, sole, start, win } from '../../../support/ledger-start.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { until } from '../../../support/until.ts';

const open = (dir: string): ReturnType<typeof openEmbeddedLedger> => openEmbeddedLedger({ dir, clock: systemClock });

test('L16: what was answered is there after the process let go', async (t) => {
  const dir = join(temporaryDir(t), 'made', 'on', 'demand');
  const first = await open(dir);
  await start(first);
  await claimed(first, 0, 'w1', [{ cursor: 0, count: 5_000 }]);
  await settle(first, 0, 'w1', [outcome(0), outcome(4_999, 1, 0, false)]);
  await first.second(
    0,
    'w2',
    [1, 2].map((index) => sole(index, row('w1'))),
  );
  await handBack(first, 0, [back(2, row('w2', 2), 'crashed', 9), back(2, row('w1'), 'suspected'), back(3, row('w1'))]);
  await first.reassign(0, [move(4, row('w1'), 'w2'), move(1, row('w2', 2), COORDINATOR_WORKER)]);
  await first.pause(by(0), 'no quota');
  const before = await scanned(first, 0);
  await first.dispose();
  await first.dispose();

  const second = await open(dir);
  t.deepEqual(await second.progress(), before.progress);
  t.like(before.running[0], { index: 1, row: row('w1'), second: row(COORDINATOR_WORKER, 3), lastAttempt: 3 });
  await win(second, 'second');
  t.deepEqual(await scanned(second, 1), { ...before, progress: { ...before.progress, epoch: 1 } });
  t.deepEqual(
    (await second.tallies()).map(({ epoch }) => epoch),
    [0],
  );
  await second.dispose();
});

test('before it wins, a ledger reads and its writing verbs throw; one that is opened for reading has none', async (t) => {
  const dir = temporaryDir(t);
  const empty = await openLedgerReadOnly(dir);
  t.deepEqual(await empty.readLease(), { lease: null, nowMs: null });
  t.like(await empty.progress(), { epoch: -1 });
  await empty.dispose();

  const first = await open(dir);
  await t.throwsAsync(claim(first, 0, 'w1', []), { instanceOf: AssertionFailed });
  await start(first);
  await claimed(first, 0, 'w1', [{ cursor: 0, count: 2 }]);
  await settle(first, 0, 'w1', [outcome(1)]);
  await first.dispose();

  const reader = await openLedgerReadOnly(dir);
  t.like((await reader.readLease()).lease, { holder: 'first' });
  t.deepEqual([...(await reader.bits(0, 2))], [0, 1]);
  await reader.dispose();
});

test('a reader sees the store grow far beyond its first size while another process writes', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const writer = new Candidate(t, dir, 'writer', 60_000);
  await writer.hears('won');
  const reader = await openLedgerReadOnly(dir);
  writer.tell('fill');
  const { cursor } = await until('growth', 60_000, async () => {
    const progress = await reader.progress();
    return progress.cursor >= 60_000 && progress;
  });
  t.true(statSync(join(dir, 'ledger.mdb')).size > 1_500_000);
  t.true(cursor >= 60_000);
  await reader.dispose();
});

test('a full disk is an error with what to do, and what was answered before is kept', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const limitBlocks = 2_048;
  const writer = new Candidate(t, dir, 'writer', 60_000, limitBlocks);
  await writer.hears('won');
  writer.tell('fill');
  t.like(await writer.hears('error', 60_000), { code: 'STORE_FAILED' });
  const filled = writer.said.filter((line) => line.kind === 'filled').at(-1)?.['cursor'];
  await writer.kill();

  const ledger = await open(dir);
  await win(ledger, 'successor');
  const { progress } = await scanned(ledger, 1);
  t.true(Number(filled) > 0);
  t.true(progress.cursor >= Number(filled));
  await ledger.dispose();
});

test('a store of another format is refused, with its format and what to do', async (t) => {
  const dir = temporaryDir(t);
  const first = await open(dir);
  await start(first);
  await first.dispose();
  const database = openDatabase(dir, 'write');
  await database.put(KEY.format, Buffer.from('1'));
  await database.close();
  const error = await t.throwsAsync(openLedgerReadOnly(dir), { code: 'STATE_UNREADABLE' });
  t.regex(error?.message ?? '', /format 1, .*format 7\..*version that began it.*--fresh/);
});

test('a file that is no store is refused', async (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, 'ledger.mdb'), Buffer.alloc(40_000, 'x'));
  await t.throwsAsync(openLedgerReadOnly(dir), { code: 'STATE_UNREADABLE' });
});

test('a settled item adds less than a byte to the store', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const ledger = await open(dir);
  await start(ledger);
  const batch = 1_000;
  const sizes: number[] = [];
  for (let cursor = 0; cursor < 400_000; cursor += batch) {
    await claimed(ledger, 0, 'w1', [{ cursor, count: batch }]);
    await settle(
      ledger,
      0,
      'w1',
      Array.from({ length: batch }, (_, at) => outcome(cursor + at, 1, 0, at % 10 !== 0)),
    );
    sizes.push(statSync(join(dir, 'ledger.mdb')).size);
  }
  t.like(await scanned(ledger, 0), { progress: { done: 360_000, failed: 40_000, running: 0 } });
  await ledger.dispose();
  const bytesPerItem = ((sizes.at(-1) ?? 0) - (sizes[99] ?? 0)) / 300_000;
  t.true(bytesPerItem < 1, `${bytesPerItem.toFixed(2)} bytes per settled item, pages of the file included`);
  t.true((sizes.at(-1) ?? 0) < 2_000_000);
});

test('the writer’s lock held by a process that the lease does not name is an error, and nobody is killed', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const holder = new Candidate(t, dir, 'holder', 60_000);
  await holder.hears('won');
  const ledger = await open(dir);
  const lease = (await ledger.readLease()).lease ?? t.fail();
  holder.tell('stop-inside');
  await holder.hears('stopping');

  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 50);
  const ended = spawn('/bin/true');
  await once(ended, 'exit');
  const named = { ...lease, process: { ...lease.process, pid: ended.pid ?? 0 } };
  const error = await t.throwsAsync(ledger.acquire(request('other', named)), { code: 'STORE_FAILED' });
  clearInterval(timer);
  t.regex(error?.message ?? '', /lock/);
  t.true(ticks > 10, `the event loop went on: ${ticks} ticks of 50 ms in two seconds`);
  t.is(holder.child.signalCode, null);
  await ledger.dispose();
});

test('a candidate whose row has moved on is told so, and kills nobody for the lock', async (t) => {
  t.timeout(120_000);
  const dir = temporaryDir(t);
  const holder = new Candidate(t, dir, 'holder', 60_000);
  await holder.hears('won');
  const ledger = await open(dir);
  const lease = (await ledger.readLease()).lease ?? t.fail();
  holder.tell('stop-inside');
  await holder.hears('stopping');
  const reply = await ledger.acquire(request('other', { ...lease, renewals: lease.renewals - 1 }));
  t.is(reply.kind, 'held');
  t.is(holder.child.signalCode, null);
  await ledger.dispose();
});
