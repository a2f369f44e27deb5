import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { refKey } from '../../../../runtime/model/row.ts';
import type { Outcome } from '../../../../runtime/model/session.ts';
import { scanFile } from '../../../../runtime/worker/outbox/scan.ts';
import { type OutboxStore, STORE_LIMITS } from '../../../../runtime/worker/outbox/store.ts';
import { filesIn, indexes, openedAgain, watchedDisk } from '../../../support/outbox-store.ts';
import { between, testRandom } from '../../../support/seed.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { outcome, ref } from '../../../support/worker-state.ts';

const KIBIBYTE = 2 ** 10;
const FIRST_FILE = '0000000001.seg';

function holds(dir: string, name: string, index: number): boolean {
  const scan = scanFile(readFileSync(join(dir, name)), Number.parseInt(name, 10));
  return scan.kind === 'whole' && scan.outcomes.some((outcome) => outcome.index === index);
}

function bytesIn(dir: string): number {
  return filesIn(dir).reduce((sum, name) => sum + statSync(join(dir, name)).size, 0);
}

test('L34: a batch is one durable write, and forgetting writes nothing', async (t) => {
  const calls: string[] = [];
  const store = await openedAgain(t, temporaryDir(t), { disk: watchedDisk(calls) });
  await store.put([outcome(1)]);
  calls.length = 0;
  await store.put([outcome(2), outcome(3)]);
  await store.forget([ref(1), ref(2)]);
  t.deepEqual(calls, ['write 0000000001.seg', 'sync 0000000001.seg']);
  await store.close();
});

test('L34: what is found is copied to a file of the new process and synced, before the old files go and before anything is told', async (t) => {
  const dir = temporaryDir(t);
  await (await openedAgain(t, dir)).put([outcome(1), outcome(2)]);
  const calls: string[] = [];
  const store = await openedAgain(t, dir, { disk: watchedDisk(calls) });
  t.deepEqual(indexes(store.found), [1, 2]);
  t.deepEqual(calls.slice(-3), ['write 0000000002.seg', 'sync 0000000002.seg', 'rm 0000000001.seg']);
  t.deepEqual(filesIn(dir), ['0000000002.seg']);
  await store.close();
});

test('a file is continued up to 4,096 outcomes, and removed once all in it are acknowledged', async (t) => {
  const dir = temporaryDir(t);
  const store = await openedAgain(t, dir);
  const first = Array.from({ length: 4_096 }, (_, index) => outcome(index));
  await store.put(first);
  await store.put([outcome(5_000)]);
  t.deepEqual(filesIn(dir), ['0000000001.seg', '0000000002.seg']);
  await store.forget(first.slice(1).map((one) => ref(one.index)));
  t.deepEqual(filesIn(dir), ['0000000001.seg', '0000000002.seg']);
  await store.forget([ref(0)]);
  t.deepEqual(filesIn(dir), ['0000000002.seg']);
  await store.close();
});

test('the end of a file that another one follows is not cut off in silence', async (t) => {
  const dir = temporaryDir(t);
  const store = await openedAgain(t, dir);
  await store.put(Array.from({ length: 4_096 }, (_, index) => outcome(index)));
  await store.put([outcome(5_000)]);
  await store.close();
  const path = join(dir, '0000000001.seg');
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, bytes.length - 1));
  await t.throwsAsync(openedAgain(t, dir), {
    message: /0000000001\.seg is damaged at byte \d+ \(a record is not whole, and later ones are\)/,
  });
});

test('W6: the files are bounded while one outcome stays unacknowledged: what is open is copied and synced before its file is removed', async (t) => {
  const dir = temporaryDir(t);
  const calls: string[] = [];
  const limits = { ...STORE_LIMITS, fileBytes: 16 * KIBIBYTE, spareBytes: 64 * KIBIBYTE };
  const openAtRemoval: boolean[] = [];
  const onCall = async (call: string): Promise<void> => {
    if (call === `rm ${FIRST_FILE}`) openAtRemoval.push(filesIn(dir).some((name) => name !== FIRST_FILE && holds(dir, name, 0)));
  };
  const store = await openedAgain(t, dir, { disk: watchedDisk(calls, onCall), limits });
  const line = Buffer.alloc(KIBIBYTE, 'x');
  await store.put([outcome(0, 1, { line })]);
  let most = 0;
  for (let index = 1; index <= 160; index += 1) {
    await store.put([outcome(index, 1, { line })]);
    // One in each file stays.
    if (index % 16 !== 0) await store.forget([ref(index)]);
    most = Math.max(most, bytesIn(dir));
  }
  t.true(most <= (2 * 11 + 64 + 16 + 4) * KIBIBYTE, `${most} bytes`);
  t.deepEqual(openAtRemoval, [true], 'another file holds what was open in the first one');
  t.regex(calls[calls.indexOf(`rm ${FIRST_FILE}`) - 1] ?? '', /^(?:sync|rm) /, 'no write is on its way');
  const again = await openedAgain(t, dir);
  t.deepEqual(
    indexes(again.found).filter((index) => index % 16 === 0),
    Array.from({ length: 11 }, (_, at) => at * 16),
  );
  await again.close();
});

test('a lot of small outcomes is bounded as well: a hello names all that is found', async (t) => {
  const dir = temporaryDir(t);
  const store = await openedAgain(t, dir, { limits: { ...STORE_LIMITS, fileOutcomes: 64, spareOutcomes: 256 } });
  for (let round = 0; round < 12; round += 1) {
    const batch = Array.from({ length: 64 }, (_, at) => outcome(round * 64 + at));
    await store.put(batch);
    await store.forget(batch.slice(1).map(({ index }) => ref(index)));
  }
  const again = await openedAgain(t, dir);
  t.true(again.found.length <= 256 + 3 * 64, `${again.found.length} were found`);
  t.deepEqual(
    indexes(again.found).filter((index) => index % 64 === 0),
    Array.from({ length: 12 }, (_, round) => round * 64),
  );
  await again.close();
});

test('L33: an epoch is on disk before an outcome is that was put after it', async (t) => {
  const dir = temporaryDir(t);
  const store = await openedAgain(t, dir);
  const done: string[] = [];
  await Promise.all([store.keepEpoch(7).then(() => done.push('epoch')), store.put([outcome(1)]).then(() => done.push('outcome'))]);
  t.deepEqual(done, ['epoch', 'outcome']);
  await store.keepEpoch(3);
  t.is((await openedAgain(t, dir)).highestEpoch, 7, 'it never goes back');
});

/** What a process may do with its store, at random; `kept` are those that nobody has acknowledged. */
async function live(t: ExecutionContext, store: OutboxStore, kept: Map<string, Outcome>, pick: (most: number) => number): Promise<void> {
  for (let steps = pick(12); steps > 0; steps -= 1) {
    if (pick(3) > 0) {
      const batch = Array.from({ length: 1 + pick(4) }, () =>
        outcome(pick(30), 1 + pick(3), { line: Buffer.alloc(pick(200), pick(256)), code: 'c'.repeat(pick(5)) }),
      );
      for (const one of batch) kept.set(refKey(one), one);
      await store.put([...new Map(batch.map((one) => [refKey(one), one])).values()]);
    } else {
      const refs = [...kept.values()].filter(() => pick(2) === 0);
      for (const one of refs) kept.delete(refKey(one));
      await store.forget(refs);
    }
  }
  t.pass();
}

test('L34: whatever was put, forgotten, killed and torn at the end: what nobody acknowledged is found, as it was put last', async (t) => {
  const random = testRandom(t);
  const pick = (most: number): number => between(random, 0, most - 1);
  for (let world = 0; world < 12; world += 1) {
    const dir = temporaryDir(t);
    const kept = new Map<string, Outcome>();
    for (let process = 0; process < 6; process += 1) {
      const store = await openedAgain(t, dir, { limits: { fileBytes: 800, fileOutcomes: 5, spareBytes: 2_000, spareOutcomes: 6 } });
      const found = new Map(store.found.map((one) => [refKey(one), one]));
      for (const [key, one] of kept) t.deepEqual({ ...found.get(key), line: Buffer.from(found.get(key)?.line ?? []) }, { ...one });
      await live(t, store, kept, pick);
      if (pick(2) === 0) await store.close();
      const last = filesIn(dir).at(-1);
      // A write that was under way.
      if (last !== undefined && pick(2) === 0) writeFileSync(join(dir, last), Buffer.alloc(pick(60), pick(2)), { flag: 'a' });
    }
  }
});
