import test from 'ava';
import { type Random, seededRandom } from '../../runtime/base/random.ts';
import { EventQueue } from './event-queue.ts';
import { SimFiles } from './sim-files.ts';
import { SimProcess } from './sim-process.ts';

/** Loses all that may be lost, the newest first. */
const WORST: Random = { ...seededRandom(1), next: () => 0 };

function processOf(pid: number): SimProcess {
  return new SimProcess(new EventQueue(), pid, `p${pid}`, { rate: 1, offsetMs: 0, wallOffsetMs: 0 });
}

test('a power cut takes names and bytes that were not synced, and keeps those that were', (t) => {
  const [files, one] = [new SimFiles(), processOf(1)];
  files.makeFolders(one, '/a');
  files.syncFolder('/');
  const kept = files.create(one, '/a/kept');
  kept.append(Buffer.from('synced'));
  kept.syncedBytes = 6;
  files.syncFolder('/a');
  kept.append(Buffer.from(' and not'));
  files.create(one, '/a/lost').syncedBytes = 0;
  one.kill();
  t.deepEqual(files.list('/a'), ['kept', 'lost']);
  t.deepEqual(files.losePower(WORST), ['torn tail', 'name lost at a power cut']);
  t.deepEqual(files.list('/a'), ['kept']);
  t.is(files.file('/a/kept')?.bytes.toString(), 'synced');
  t.deepEqual(files.losePower(WORST), [], 'what has outlived a power cut is on disk');
});

test('a rename is whole or not at all, and a folder without a name on disk takes with it what is in it', (t) => {
  const [files, one] = [new SimFiles(), processOf(1)];
  files.create(one, '/mark');
  files.syncFolder('/');
  const next = files.create(one, '/mark.tmp');
  files.syncFolder('/');
  files.rename(one, '/mark.tmp', '/mark');
  t.is(files.file('/mark'), next);
  t.is(files.durableFile('/mark.tmp'), next);
  files.makeFolders(one, '/b');
  files.create(one, '/b/file');
  files.syncFolder('/b');
  t.is(files.durableFile('/b/file'), null);
  one.kill();
  t.deepEqual(files.losePower(WORST), ['name lost at a power cut']);
  t.deepEqual(files.list('/'), ['mark', 'mark.tmp']);
  t.throws(() => files.list('/b'), { code: 'ENOENT' });
});

test('what a living process has not synced outlives the power cut of another one', (t) => {
  const [files, dead, alive] = [new SimFiles(), processOf(1), processOf(2)];
  files.create(alive, '/alive').append(Buffer.from('x'));
  files.create(dead, '/dead');
  dead.kill();
  files.losePower(WORST);
  t.deepEqual(files.list('/'), ['alive']);
  t.is(files.file('/alive')?.bytes.length, 1);
  t.throws(() => files.create(alive, '/alive'), { code: 'EEXIST' });
});
