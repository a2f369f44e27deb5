import test from 'ava';
import { cpuMsOf, cpuMsOfStat } from '../../../scripts/cpu-times.ts';

test('the CPU time of a shell and of what it has waited for is read from its times', (t) => {
  t.is(cpuMsOf('0m0.010s 0m0.020s\n1m2.500s 0m3.000s\n'), 65_530);
  t.is(cpuMsOf(''), 0);
});

test('the CPU time of a process and of what it has waited for is read from its stat', (t) => {
  const stat = '77 (a (b) c) S 1 12 12 0 -1 4194304 100 200 0 0 5 6 70 800 20 0 1 0 9';
  t.is(cpuMsOfStat(stat), 8_810);
  t.is(cpuMsOfStat(''), 0);
});
