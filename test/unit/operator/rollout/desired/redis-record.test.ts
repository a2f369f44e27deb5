import test from 'ava';
import { redisRecord } from '../../../../../operator/rollout/desired/redis-record.ts';
import { runIdOf } from '../../../../../operator/rollout/run-id.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { runOf } from '../../../../support/operator/run-world.ts';

test('the record has all that is needed to find the keys when the run is gone, no secret, and waits for the operator', (t) => {
  const run = runOf();
  t.like(redisRecord(run, REDIS), {
    metadata: {
      name: 'answers-redis-keys-0193746f',
      namespace: 'team',
      finalizers: ['rollout.run/redis-keys'],
      ownerReferences: [{ uid: run.metadata.uid, controller: true, blockOwnerDeletion: false }],
    },
    data: { runId: runIdOf(run.metadata.uid), namespace: 'team', url: REDIS.url, secret: 'redis' },
  });
  t.deepEqual(Object.keys(redisRecord(run, { ...REDIS, secretName: null }).data ?? {}), ['runId', 'namespace', 'url']);
});
