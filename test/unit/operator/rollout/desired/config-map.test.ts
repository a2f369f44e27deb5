import test from 'ava';
import { runConfigMap } from '../../../../../operator/rollout/desired/config-map.ts';
import { coordinatorVolumes } from '../../../../../operator/rollout/desired/coordinator-volumes.ts';
import { READER_KEY, readerPod } from '../../../../../operator/rollout/desired/reader-pod.ts';
import { workerPod } from '../../../../../operator/rollout/desired/worker-pod.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

test('it has each file that a pod of the run mounts from it', (t) => {
  const run = createdRun();
  const { metadata, data = {} } = runConfigMap(run, REDIS, PODS);
  const worker = workerPod(run, { slot: 0, incarnation: 0 }, [], PODS).spec?.volumes ?? [];
  const readers = ['coordinator.yaml', 'reader.yaml'].flatMap((file) => coordinatorVolumes(run, REDIS, file));
  const mounted = [...worker, ...readers].flatMap(({ configMap }) => (configMap?.name === metadata.name ? (configMap.items ?? []) : []));
  t.deepEqual(mounted.map(({ key }) => key).toSorted(), ['coordinator.yaml', 'reader.yaml', 'worker.yaml']);
  for (const { key } of mounted) t.truthy(data[key], key);
});

test('it tells how a reader is made, so that nobody else has to know', (t) => {
  const run = createdRun();
  const { data = {} } = runConfigMap(run, null, PODS);
  t.deepEqual(JSON.parse(data[READER_KEY] ?? ''), JSON.parse(JSON.stringify(readerPod(run, null, PODS))));
});

test('no password of a server is in it', (t) => {
  const { data = {} } = runConfigMap(createdRun(), REDIS, PODS);
  t.true(data['coordinator.yaml']?.includes('/redis/password'));
  t.false(/passwordFile":\s*"(?!\/redis\/)/.test(JSON.stringify(data)));
});
