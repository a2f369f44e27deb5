import test from 'ava';
import { coordinatorDeployment } from '../../../../../operator/rollout/desired/coordinator.ts';
import { partialReaderPod, readerPod, TOKEN_VARIABLE } from '../../../../../operator/rollout/desired/reader-pod.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { restrictionsBroken } from '../../../../support/operator/restricted.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

const embedded = readerPod(createdRun(), null, PODS);
const onServer = readerPod(createdRun(), REDIS, PODS);

test('a reader may run in a namespace that restricts its pods, as any user', (t) => {
  t.deepEqual(restrictionsBroken(embedded.spec), []);
  t.deepEqual(restrictionsBroken(onServer.spec), []);
});

test('it is over when it has failed, and after an hour at the latest', (t) => {
  t.like(embedded.spec, { restartPolicy: 'Never', activeDeadlineSeconds: 3_600, terminationGracePeriodSeconds: 1 });
});

test('it is no coordinator and no worker of its run, and goes with it', (t) => {
  const run = createdRun();
  const selector = coordinatorDeployment(run, '', null, PODS).spec?.selector.matchLabels ?? {};
  t.notDeepEqual({ ...embedded.metadata.labels, ...selector }, embedded.metadata.labels);
  t.is(embedded.metadata.labels?.['rollout.run/slot'], undefined);
  t.is(embedded.metadata.ownerReferences?.[0]?.uid, run.metadata.uid);
});

test('results on the volume are shown as they are; those on a server are written out first', (t) => {
  t.is(embedded.spec?.initContainers, undefined);
  t.deepEqual(
    onServer.spec?.initContainers?.map(({ name, args }) => [name, args?.[1]]),
    [
      ['input', 'fetch-input'],
      ['export', 'export-finished'],
    ],
  );
});

test('of a run that is not complete no coordinator is started, which would go on with it', (t) => {
  for (const redis of [null, REDIS]) {
    const { spec, metadata } = partialReaderPod(createdRun(), redis, PODS);
    t.is(metadata.name, embedded.metadata.name, 'there is one reader of a run at a time');
    t.deepEqual(restrictionsBroken(spec), []);
    t.deepEqual(
      spec?.initContainers?.map(({ name }) => name),
      redis === null ? undefined : ['input'],
    );
    t.deepEqual(spec?.containers[0]?.args, [
      '/app/cli.js',
      'results-server',
      '--config',
      '/etc/rollout/coordinator.yaml',
      '--port',
      '8080',
    ]);
  }
});

test('what is shown needs a token, which nobody finds in the pod that is written down', (t) => {
  t.false(JSON.stringify(embedded).includes(TOKEN_VARIABLE));
  t.deepEqual(embedded.spec?.containers[0]?.args, ['/app/cli.js', 'results-server', '--state', '/state/run', '--port', '8080']);
});

test('a reader does not stay for workers: it has settings of its own', (t) => {
  const config = embedded.spec?.volumes?.find(({ name }) => name === 'rollout-config');
  t.deepEqual(config?.configMap, { name: 'answers-config', items: [{ key: 'reader.yaml', path: 'coordinator.yaml' }] });
});

test('each of its containers asks for what the coordinator may have, and otherwise for little', (t) => {
  const resourcesOf = (run: Parameters<typeof readerPod>[0]) => {
    const { initContainers = [], containers = [] } = readerPod(run, REDIS, PODS).spec ?? {};
    return [...initContainers, ...containers].map(({ resources }) => resources);
  };
  const resources = { requests: { memory: '1Gi' }, limits: { memory: '2Gi' } };
  t.deepEqual(resourcesOf(createdRun({ coordinator: { resources } })), [resources, resources, resources]);
  t.deepEqual(
    resourcesOf(createdRun()).map((one) => Object.keys(one ?? {})),
    [['requests'], ['requests'], ['requests']],
  );
});
