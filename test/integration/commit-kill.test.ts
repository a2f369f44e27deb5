import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import type { Random } from '../../runtime/base/random.ts';
import { openLedgerReadOnly } from '../../runtime/ledger/embedded/ledger.ts';
import { exportResults } from '../../runtime/results/export/export.ts';
import { SegmentReader } from '../../runtime/results/log/segment-reader.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { RECORD_POINTS, type RecordPoint } from '../support/record-points.ts';
import { scratch } from '../support/scratch.ts';
import { between, testRandom } from '../support/seed.ts';

const PROGRAM = fileURLToPath(new URL('../support/record-process.ts', import.meta.url));
/** Of each point. In all sixty kills. */
const KILLS = 6;
const ITEMS = 2_400;
/** A commit takes about a millisecond or two: so a kill falls before, into and after it. */
const WITHIN_MS = 3;

interface Said {
  readonly kind: string;
  readonly epoch: number;
  readonly indexes: readonly number[];
}

interface Ended {
  readonly said: readonly Said[];
  readonly by: string | number | null;
}

async function recordUntil(dir: string, point: RecordPoint | 'end', nth: number, afterMs: number): Promise<Ended> {
  const batch = point === 'end' ? 400 : 8;
  const args = [PROGRAM, dir, String(ITEMS), String(batch), point, String(nth), String(afterMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  const said = text.split('\n').slice(0, -1);
  return { said: said.map((line) => JSON.parse(line) as Said), by: signal ?? code };
}

/** By item, the epoch of its record, as the processes have said it. */
type Recorded = Map<number, number>;

function note(recorded: Recorded, said: readonly Said[]): readonly number[] {
  const fresh = said.filter(({ kind }) => kind === 'recorded').flatMap(({ epoch, indexes }) => indexes.map((index) => ({ epoch, index })));
  const again = fresh.filter(({ index }) => recorded.has(index)).map(({ index }) => index);
  for (const { epoch, index } of fresh) recorded.set(index, epoch);
  return again;
}

/** It opens, it adds up (L6), and everything that was said to be recorded is. */
async function checkLedger(t: ExecutionContext, dir: string, recorded: Recorded, where: string): Promise<void> {
  const ledger = await openLedgerReadOnly(join(dir, 'store'));
  const { cursor, running, handedBack, done, failed } = await ledger.progress();
  t.is(running + handedBack + done + failed, cursor, where);
  const bits = await ledger.bits(0, ITEMS);
  t.is(bits.filter((bit) => bit !== 0).length, done, where);
  t.deepEqual(
    [...recorded.keys()].filter((index) => bits[index] !== 1),
    [],
    where,
  );
  await ledger.dispose();
}

function exportAll(dir: string, isPartial: boolean): Promise<readonly string[]> {
  const outputPath = join(dir, 'out.jsonl');
  const files = { outputPath, errorsPath: join(dir, 'errors.jsonl'), tempDir: join(dir, 'temp') };
  return (async () => {
    const ledger = await openLedgerReadOnly(join(dir, 'store'));
    await exportResults({ ledger, place: directoryPlace(join(dir, 'segments')), ...files, order: 'input', items: ITEMS, isPartial });
    await ledger.dispose();
    return readFileSync(outputPath, 'utf8').split('\n').slice(0, -1);
  })();
}

/** Frames that lie in the log beside the one of each item. */
async function surplusFrames(dir: string): Promise<number> {
  let count = 0;
  const place = directoryPlace(join(dir, 'segments'));
  for (const epoch of await place.epochs()) {
    const reader = await SegmentReader.open(place, epoch, null);
    for (let block = await reader.next(); block !== null; block = await reader.next()) count += block.frames.count;
    await reader.close();
  }
  return count - ITEMS;
}

function shuffledPoints(random: Random): readonly RecordPoint[] {
  const all = RECORD_POINTS.flatMap((point) => Array.from({ length: KILLS }, () => ({ point, at: random.next() })));
  return all.toSorted((a, b) => a.at - b.at).map(({ point }) => point);
}

test(`killed at each named point of recording and inside its commits, ${KILLS * RECORD_POINTS.length} times, store and log go on, and each item has one record`, async (t) => {
  t.timeout(600_000);
  const dir = scratch(t);
  const random = testRandom(t);
  const recorded: Recorded = new Map();
  for (const [round, point] of shuffledPoints(random).entries()) {
    // A second batch, or a later one, is not there to be reached where the process dies on its way to the first.
    const nth = ['winning', 'won', 'bound', 'opened'].includes(point) ? 1 : between(random, 1, 4);
    const { said, by } = await recordUntil(dir, point, nth, random.next() * WITHIN_MS);
    const where = `round ${round}, ${point} for the ${nth}. time`;
    t.is(by, 'SIGKILL', where);
    t.deepEqual(note(recorded, said), [], `${where}: nothing is recorded twice`);
    await checkLedger(t, dir, recorded, where);
  }
  t.true((await exportAll(dir, true)).length >= recorded.size, 'what there is can be exported in between');
  const last = await recordUntil(dir, 'end', 1, 0);
  t.is(last.by, 0);
  t.is(last.said.at(-1)?.kind, 'finished');
  t.deepEqual(note(recorded, last.said), []);
  const lines = await exportAll(dir, false);
  t.is(lines.length, ITEMS);
  t.deepEqual(
    [...recorded].filter(([index, epoch]) => lines[index] !== `${index} of ${epoch}`),
    [],
    'the record of each item is the one that was accepted',
  );
  const surplus = await surplusFrames(dir);
  t.log(`${surplus} frames were in the log and not yet in the ledger when their writer died`);
  t.true(surplus > 0, 'some died between the log and the ledger');
});
