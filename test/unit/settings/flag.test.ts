import test from 'ava';
import { argumentOf, flagOf } from '../../../runtime/settings/flag.ts';

test('a flag is what stands before its value', (t) => {
  t.is(flagOf('--wait-backend <duration>'), '--wait-backend');
  t.is(flagOf('--raw'), '--raw');
});

test('the argument of a flag has its words in one', (t) => {
  t.is(argumentOf('--mock-latency-spread <duration>'), 'mockLatencySpread');
  t.is(argumentOf('--raw'), 'raw');
});
