import test from 'ava';
import { PROVIDER_TIMES } from '../../../runtime/model/hint.ts';
import { parseHints } from '../../../runtime/model/hint-settings.ts';
import { DRAIN_MS, describe, hintText, LEAVING, PROVIDERS, problems, type Seen } from '../../../scripts/smoke-story.ts';

const GOOD: Seen = {
  events: [
    { kind: 'items_stolen', from: 'slow', to: 'quick', items: 2 },
    { kind: 'drain_finished', workerId: LEAVING, end: 'left' },
  ],
  coordinatorExit: 0,
  runMs: 9_000,
  leftAfterMs: 1_000,
  workerExits: new Map([['slow', 0]]),
  verifyExit: 0,
  left: [],
};

test('a smoke in which all went as it must has no problems', (t) => {
  t.deepEqual(problems(GOOD, 'aws'), []);
});

test('whatever did not go as it must is said, each with its reason', (t) => {
  const of = (more: Partial<Seen>): readonly string[] => problems({ ...GOOD, ...more }, 'gcp');
  t.regex(of({ events: GOOD.events.slice(1) }).join(), /nothing was stolen/);
  t.regex(of({ events: GOOD.events.slice(0, 1) }).join(), /did not drain in order/);
  t.regex(of({ coordinatorExit: 1 }).join(), /the coordinator ended with 1/);
  t.regex(of({ runMs: 30_001 }).join(), /the run took 30\.0 s/);
  t.regex(of({ leftAfterMs: 15_001 }).join(), /was gone after 15\.0 s; gcp leaves a drain 15\.0 s/);
  t.regex(of({ workerExits: new Map([['slow', 4]]) }).join(), /worker slow ended with 4/);
  t.regex(of({ verifyExit: 6 }).join(), /not proved/);
  t.regex(of({ left: ['slow on this machine'] }).join(), /still running: slow/);
  t.regex(of({ events: [...GOOD.events, { kind: 'worker_failed', workerId: 'slow' }] }).join(), /a worker was lost/);
});

test('the times of the providers are those of the product, and the hint is one that it reads', (t) => {
  for (const provider of PROVIDERS) {
    t.is(DRAIN_MS[provider], PROVIDER_TIMES[provider].drainMs);
    t.like(parseHints('hints.yaml', hintText(provider), false)[0], { provider, severity: 'drain' });
  }
});

test('what happens is told in words, and what says nothing to people is not', (t) => {
  t.is(describe({ kind: 'items_stolen', from: 'a', to: 'b', items: 3 }), 'stolen: 3 item(s) that a had not started go to b');
  t.is(describe({ kind: 'worker_heartbeat' }), null);
});
