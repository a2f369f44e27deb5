import { symlinkSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { open } from 'lmdb';
import { countWaiting, type OutboxOwner, openOutbox } from '../../../runtime/worker/outbox.ts';
import { scratch } from '../../support/scratch.ts';
import { outcome, ref } from '../../support/worker-state.ts';

function owner(dir: string, more: Partial<OutboxOwner> = {}): OutboxOwner {
  return { dir, workerId: 'w1', runId: 'run-1', awaitRoom: async () => false, ...more };
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
  await first.put([outcome(1), failure, outcome(1, 2)]);
  await first.forget([ref(1, 1), ref(9)]);
  await first.keepEpoch(5);
  await first.close();
  const second = await openOutbox(owner(dir));
  t.deepEqual(
    second.found.map((one) => ({ ...one, line: [...one.line] })),
    [outcome(1, 2), failure].map((one) => ({ ...one, line: [...one.line] })),
  );
  t.is(second.highestEpoch, 5);
  await second.close();
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
  const makers: ((path: string) => Promise<void>)[] = [(path) => writeFile(path, ''), (path) => open({ path, maxDbs: 2 }).close()];
  for (const make of makers) {
    const dir = scratch(t);
    await make(join(dir, 'outbox.mdb'));
    t.is(await countWaiting(dir), 0);
    const outbox = await openOutbox(owner(dir));
    await outbox.put([outcome(1)]);
    await outbox.close();
    t.is(await countWaiting(dir), 1);
  }
});

test('a file that is no store is refused, not crashed upon', async (t) => {
  const dir = scratch(t);
  writeFileSync(join(dir, 'outbox.mdb'), 'garbage '.repeat(5_000));
  const error = await t.throwsAsync(openOutbox(owner(dir)));
  t.like(error, { code: 'STORE_FAILED' });
  t.regex(error?.message ?? '', /outbox\.mdb is damaged/);
  await t.throwsAsync(countWaiting(dir), { message: /outbox\.mdb is damaged/ });
});

test('a store that cannot be opened is told with its place and what to do', async (t) => {
  const error = await t.throwsAsync(openOutbox(owner(join('/dev/null', 'store'))));
  t.like(error, { code: 'STORE_FAILED' });
  t.regex(error?.message ?? '', /\/dev\/null\/store/);
});

test('a store that cannot be looked at is told, and is not taken for an empty one', async (t) => {
  const dir = scratch(t);
  symlinkSync('outbox.mdb', join(dir, 'outbox.mdb'));
  await t.throwsAsync(countWaiting(dir), { message: /ELOOP/ });
});
