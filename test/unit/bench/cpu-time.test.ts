import test from 'ava';
import { parseBusyTicks, parseProcessTime, treeTicks } from '../../../bench/cpu-time.ts';

const STAT = '4242 (node (a) b) S 17 4242 4242 0 -1 4194304 100 200 0 0 31 12 7 5 20 0 11 0 9999 1000 200 0';

test('a process is read from its stat file, whatever its name holds', (t) => {
  t.deepEqual(parseProcessTime(STAT), { pid: 4242, parent: 17, ownTicks: 43, endedTicks: 12 });
});

test('the machine is busy with all that is neither idle nor waiting, and with what its host took', (t) => {
  t.is(parseBusyTicks('cpu  100 1 20 5000 300 4 3 50 0 0\ncpu0 9 9 9 9 9 9 9 9 0 0\n'), 178);
});

test('a tree is a process, those that it started, and what they have waited for', (t) => {
  const all = [
    { pid: 1, parent: 0, ownTicks: 1_000, endedTicks: 1_000 },
    { pid: 10, parent: 1, ownTicks: 5, endedTicks: 7 },
    { pid: 11, parent: 10, ownTicks: 20, endedTicks: 0 },
    { pid: 12, parent: 11, ownTicks: 300, endedTicks: 4_000 },
    { pid: 13, parent: 1, ownTicks: 9, endedTicks: 9 },
  ];
  t.is(treeTicks(all, 10), 4_332);
  t.is(treeTicks(all, 99), 0);
});
