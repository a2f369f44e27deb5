import test from 'ava';
import { cpuMsOf } from '../../../scripts/cpu-times.ts';

test('the CPU time of a shell and of what it has waited for is read from its times', (t) => {
  t.is(cpuMsOf('0m0.010s 0m0.020s\n1m2.500s 0m3.000s\n'), 65_530);
  t.is(cpuMsOf(''), 0);
});
