import test from 'ava';
import { cloudFrom } from '../../../scripts/smoke-cloud.ts';

const GIVEN = { ROLLOUT_SMOKE_COORDINATOR: 'me@c.example', ROLLOUT_SMOKE_WORKERS: 'me@a me@b  me@d' };

test('hosts are taken from the environment; what is not said has a default', (t) => {
  t.deepEqual(cloudFrom(GIVEN), {
    coordinator: 'me@c.example',
    workers: ['me@a', 'me@b', 'me@d'],
    address: 'c.example:50051',
    project: 'rollout',
    sshOptions: [],
  });
  const further = { ROLLOUT_SMOKE_ADDRESS: '10.0.0.1:7000', ROLLOUT_SMOKE_PROJECT: '/opt/rollout', ROLLOUT_SMOKE_SSH: '-p 22' };
  t.like(cloudFrom({ ...GIVEN, ...further }), { address: '10.0.0.1:7000', project: '/opt/rollout' });
});

test('everything that is missing is said at once', (t) => {
  const none = cloudFrom({});
  t.is('missing' in none ? none.missing.length : 0, 2);
  const two = cloudFrom({ ...GIVEN, ROLLOUT_SMOKE_WORKERS: 'me@a me@b' });
  t.regex('missing' in two ? two.missing.join() : '', /three workers.*\(2 given\)/);
});
