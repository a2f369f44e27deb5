import test from 'ava';
import { runConfigMap } from '../../../../../operator/rollout/desired/config-map.ts';
import { coordinatorDeployment } from '../../../../../operator/rollout/desired/coordinator.ts';
import { coordinatorVolumes } from '../../../../../operator/rollout/desired/coordinator-volumes.ts';
import { PARTIAL_READER_KEY, partialReaderPod, READER_KEY, readerPod } from '../../../../../operator/rollout/desired/reader-pod.ts';
import { workerPod } from '../../../../../operator/rollout/desired/worker-pod.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

test('it has each file that a pod of the run mounts from it', (t) => {
  const run = createdRun();
  const { metadata, data = {} } = runConfigMap(run, REDIS, PODS);
  const worker = workerPod(run, { slot: 0, incarnation: 0 }, [], PODS).spec?.volumes ?? [];
  const readers = ['coordinator.yaml', 'reader.yaml'].flatMap((file) => coordinatorVolumes(run, REDIS, file, PODS));
  const mounted = [...worker, ...readers].flatMap(({ configMap }) => (configMap?.name === metadata.name ? (configMap.items ?? []) : []));
  t.deepEqual(mounted.map(({ key }) => key).toSorted(), ['coordinator.yaml', 'reader.yaml', 'worker.yaml']);
  for (const { key } of mounted) t.truthy(data[key], key);
});

test('it tells how a reader is made, so that nobody else has to know', (t) => {
  const run = createdRun();
  const { data = {} } = runConfigMap(run, null, PODS);
  t.deepEqual(JSON.parse(data[READER_KEY] ?? ''), JSON.parse(JSON.stringify(readerPod(run, null, PODS))));
  t.deepEqual(JSON.parse(data[PARTIAL_READER_KEY] ?? ''), JSON.parse(JSON.stringify(partialReaderPod(run, null, PODS))));
});

test('no password of a server is in it', (t) => {
  const { data = {} } = runConfigMap(createdRun(), REDIS, PODS);
  t.true(data['coordinator.yaml']?.includes('/redis/password'));
  t.false(/passwordFile":\s*"(?!\/redis\/)/.test(JSON.stringify(data)));
});

test('further authorities are in it, and each container of the operator trusts them', (t) => {
  const [run, pods] = [createdRun(), { ...PODS, extraCa: 'PEM' }];
  t.is(runConfigMap(run, null, pods).data?.['extra-ca.pem'], 'PEM');
  t.false('extra-ca.pem' in (runConfigMap(run, null, PODS).data ?? {}));
  const made = [
    workerPod(run, { slot: 0, incarnation: 0 }, [], pods).spec,
    coordinatorDeployment(run, '', null, pods).spec?.template.spec,
    readerPod(run, REDIS, pods).spec,
  ];
  for (const spec of made) {
    const own = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].filter(({ image }) => image === pods.image);
    t.true(own.length > 0);
    for (const { name, env, volumeMounts } of own) {
      t.deepEqual(env?.find((one) => one.name === 'NODE_EXTRA_CA_CERTS')?.value, '/etc/rollout/extra-ca.pem', name);
      t.true(
        volumeMounts?.some(({ mountPath }) => mountPath === '/etc/rollout'),
        name,
      );
    }
    t.true(spec?.volumes?.some(({ configMap }) => configMap?.items?.some(({ path }) => path === 'extra-ca.pem') === true));
  }
});
