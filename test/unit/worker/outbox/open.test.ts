import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { encodeHeader } from '../../../../runtime/results/log/segment.ts';
import type { OutboxOwner } from '../../../../runtime/worker/outbox/contract.ts';
import { countWaiting } from '../../../../runtime/worker/outbox/found.ts';
import { openOutbox } from '../../../../runtime/worker/outbox/open.ts';
import { scratch } from '../../../support/scratch.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';
import { outcome, ref } from '../../../support/worker-state.ts';

function owner(dir: string, more: Partial<OutboxOwner> = {}): OutboxOwner {
  return { dir, workerId: 'w1', runId: 'run-1', waitForDiskSpace: async () => false, ...more };
}

/** Those with outcomes. */
function filesIn(dir: string): readonly string[] {
  return readdirSync(dir).filter((name) => name.endsWith('.seg'));
}

test('L34: what was put and not forgotten is found by the next process, with every field', async (t) => {
  const dir = scratch(t);
  const first = await openOutbox(owner(dir));
  t.deepEqual(first.found, []);
  const failure = outcome(2, 3, {
    kind: 'error',
    httpStatus: 500,
    code: 'http_500',
    isRetryable: true,
    delayMs: 400,
    line: new Uint8Array([0, 255, 10]),
  });
  await first.put([outcome(1), failure]);
  await first.put([outcome(1, 2)]);
  await first.forget([ref(9)]);
  await first.keepEpoch(5);
  await first.close();
  const second = await openOutbox(owner(dir));
  t.deepEqual(
    second.found.map((one) => ({ ...one, line: [...one.line] })),
    [outcome(1), failure, outcome(1, 2)].map((one) => ({ ...one, line: [...one.line] })),
  );
  t.is(second.highestEpoch, 5);
  await second.close();
});

test('what is all forgotten leaves no file behind: at the end, and in a process that has nothing to do for a while', async (t) => {
  const dir = scratch(t);
  const outbox = await openOutbox(owner(dir));
  await outbox.put([outcome(1), outcome(2)]);
  await outbox.forget([ref(1), ref(2)]);
  await until('the file is removed', PATIENCE_MS, () => filesIn(dir).length === 0);
  await outbox.put([outcome(3)]);
  t.is(await countWaiting(dir), 1);
  await outbox.forget([ref(3)]);
  await outbox.close();
  t.deepEqual(filesIn(dir), []);
  t.is(await countWaiting(dir), 0);
});

test('L34: one outcome per pair: the later one of the same pair replaces it', async (t) => {
  const dir = scratch(t);
  const outbox = await openOutbox(owner(dir));
  await outbox.put([outcome(1)]);
  await outbox.put([outcome(1, 1, { code: 'again' })]);
  await outbox.close();
  const again = await openOutbox(owner(dir));
  t.deepEqual(
    again.found.map((one) => one.code),
    ['again'],
  );
  await again.close();
});

test('L33: a second opening of the same store is refused while the first is open, and told which process has it', async (t) => {
  const dir = scratch(t);
  const first = await openOutbox(owner(dir));
  await first.put([outcome(1)]);
  const error = await t.throwsAsync(openOutbox(owner(dir, { workerId: 'w2' })));
  t.like(error, { code: 'WORKER_ID_IN_USE', exit: 2 });
  t.regex(error?.message ?? '', new RegExp(`process ${process.pid} runs a worker`));
  await first.close();
  const second = await openOutbox(owner(dir));
  t.is(second.found.length, 1, 'the refusal changed nothing');
  await second.close();
});

test('L33: another worker id, or another run, over outcomes that nobody acknowledged is refused; over none it takes the store', async (t) => {
  const dir = scratch(t);
  const first = await openOutbox(owner(dir));
  await first.put([outcome(1)]);
  await first.keepEpoch(8);
  await first.close();
  for (const other of [{ workerId: 'w2' }, { runId: 'run-2' }]) {
    const error = await t.throwsAsync(openOutbox(owner(dir, other)));
    t.like(error, { code: 'OUTBOX_OF_ANOTHER', exit: 2 });
    t.regex(error?.message ?? '', /worker w1 of run run-1/);
    t.true(error?.message.includes(dir), 'the advice names the folder');
    t.regex(error?.message ?? '', /start the coordinator of run run-1 again.*then worker w1.*another stateDir.*delete/);
  }
  const same = await openOutbox(owner(dir));
  t.is(same.found.length, 1, 'a refusal changes nothing');
  await same.forget([ref(1)]);
  await same.close();
  const next = await openOutbox(owner(dir, { runId: 'run-2' }));
  t.is(next.highestEpoch, 0, 'an epoch of another run says nothing');
  await next.close();
});

test('killed while it made the store: the next process makes it again', async (t) => {
  for (const part of [0, 7, 64]) {
    const dir = scratch(t);
    const header = encodeHeader({ epoch: 1, placeId: 'outbox' });
    writeFileSync(join(dir, '0000000001.seg'), header.subarray(0, part));
    writeFileSync(join(dir, 'store.json.0a1b2c.tmp'), '{"ver');
    t.is(await countWaiting(dir), 0);
    const outbox = await openOutbox(owner(dir));
    t.deepEqual(
      readdirSync(dir).filter((name) => name !== 'lock'),
      ['store.json'],
    );
    await outbox.put([outcome(1)]);
    await outbox.close();
    t.is(await countWaiting(dir), 1);
  }
});

test('the store of an earlier version, in LMDB, is refused with the way out, by the worker and by the command that starts it', async (t) => {
  const dir = scratch(t);
  writeFileSync(join(dir, 'outbox.mdb'), 'LMDB '.repeat(5_000));
  for (const error of [await t.throwsAsync(openOutbox(owner(dir))), await t.throwsAsync(countWaiting(dir))]) {
    t.like(error, { code: 'STATE_UNREADABLE', exit: 2 });
    t.regex(
      error?.message ?? '',
      /outbox\.mdb is the store of an earlier version.*Finish the run with the version that began it, or remove/,
    );
  }
  rmSync(join(dir, 'outbox.mdb'));
  await (await openOutbox(owner(dir))).close();
});

test('a file that is damaged before its last batch is refused with its place and the way out, and nothing is taken out of it', async (t) => {
  const dir = scratch(t);
  const first = await openOutbox(owner(dir));
  await first.put([outcome(1)]);
  await first.put([outcome(2)]);
  await first.close();
  const path = join(dir, '0000000001.seg');
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(70) ^ 1, 70);
  writeFileSync(path, bytes);
  for (const error of [await t.throwsAsync(openOutbox(owner(dir))), await t.throwsAsync(countWaiting(dir))]) {
    t.like(error, { code: 'STATE_UNREADABLE', exit: 2 });
    t.regex(error?.message ?? '', /0000000001\.seg is damaged at byte 64 .*put back a copy of the folder, or move the folder away/);
  }
  t.deepEqual(readFileSync(path), bytes);
});

test('outcomes without the file that says whose they are, and such a file that is damaged, are refused', async (t) => {
  const dir = scratch(t);
  const first = await openOutbox(owner(dir));
  await first.put([outcome(1)]);
  await first.close();
  rmSync(join(dir, 'store.json'));
  await t.throwsAsync(openOutbox(owner(dir)), { message: /lacks store\.json, which says whose they are/ });
  for (const text of ['{', '{"version":2}']) {
    writeFileSync(join(dir, 'store.json'), text);
    await t.throwsAsync(openOutbox(owner(dir)), { message: /store\.json is damaged/ });
  }
});

test('a store that cannot be opened is told with its place and what to do', async (t) => {
  const error = await t.throwsAsync(openOutbox(owner(join('/dev/null', 'store'))));
  t.like(error, { code: 'STORE_FAILED' });
  t.regex(error?.message ?? '', /\/dev\/null\/store/);
});

test('a store that cannot be looked at is told, and is not taken for an empty one', async (t) => {
  const dir = scratch(t);
  symlinkSync('0000000001.seg', join(dir, '0000000001.seg'));
  await t.throwsAsync(countWaiting(dir), { message: /ELOOP/ });
});
