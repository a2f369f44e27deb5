import test from 'ava';
import type { RunStatus } from '../../../../operator/api/types.gen.ts';
import { clocksOf, hasEnded } from '../../../../operator/rollout/clocks.ts';

const SINCE = '2026-11-30T09:30:00Z';

function statusWith(type: string, status: 'True' | 'False' | 'Unknown'): RunStatus {
  return { conditions: [{ type, status, reason: 'Any', message: '', lastTransitionTime: SINCE }] };
}

test('a run that nobody has looked at has no clocks', (t) => {
  t.deepEqual(clocksOf(undefined), { startTimeMs: null, suspendedSinceMs: null, suspendedSeconds: 0 });
});

test('a run is suspended since its condition became true', (t) => {
  t.is(clocksOf(statusWith('Suspended', 'True')).suspendedSinceMs, Date.parse(SINCE));
  t.is(clocksOf(statusWith('Suspended', 'False')).suspendedSinceMs, null, 'its workers are still leaving, or it goes on');
  t.deepEqual(clocksOf({ startTime: SINCE, suspendedSeconds: 90 }), {
    startTimeMs: Date.parse(SINCE),
    suspendedSinceMs: null,
    suspendedSeconds: 90,
  });
});

test('either of two conditions is the end, and only where it is true', (t) => {
  for (const type of ['Complete', 'Failed']) {
    t.true(hasEnded(statusWith(type, 'True')));
    t.false(hasEnded(statusWith(type, 'False')));
    t.false(hasEnded(statusWith(type, 'Unknown')));
  }
  t.false(hasEnded(statusWith('Suspended', 'True')));
  t.false(hasEnded(undefined));
});
