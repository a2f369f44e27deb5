import test from 'ava';
import { eventTable, newestEvents } from '../../../../operator/cli/event-rows.ts';
import type { CoreEvent } from '../../../../operator/kube/kind.ts';
import { NOW } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';

const event = (more: object): CoreEvent => ({
  metadata: { name: 'e' },
  involvedObject: { kind: 'RolloutRun', name: 'answers' },
  type: 'Warning',
  reason: 'Stalled',
  message: 'no worker\n answers',
  ...more,
});

test('the newest ten, the oldest of them first, by whichever time they have', (t) => {
  const events = [
    event({ reason: 'Fourth', series: { count: 3, lastObservedTime: time(-1) } }),
    event({ reason: 'First', metadata: { name: 'e', creationTimestamp: time(-90) } }),
    event({ reason: 'Third', eventTime: time(-20) }),
    event({ reason: 'Second', lastTimestamp: time(-60) }),
  ];
  t.deepEqual(
    newestEvents(events).map(({ reason }) => reason),
    ['First', 'Second', 'Third', 'Fourth'],
  );
  const many = Array.from({ length: 30 }, (_, at) => event({ reason: String(at), lastTimestamp: time(at) }));
  t.deepEqual([newestEvents(many).length, newestEvents(many)[0]?.reason], [10, '20']);
});

test('an event in one line, with how often it came', (t) => {
  t.deepEqual(eventTable([event({ lastTimestamp: time(-60), count: 4 })], NOW), [
    'LAST   TYPE      REASON    OBJECT               MESSAGE',
    '60s    Warning   Stalled   RolloutRun/answers   no worker answers (4 times)',
  ]);
});
