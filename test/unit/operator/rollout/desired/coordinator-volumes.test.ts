import test from 'ava';
import type { RolloutRun } from '../../../../../operator/api/run.ts';
import { coordinatorMounts, coordinatorVolumes, inputContainer } from '../../../../../operator/rollout/desired/coordinator-volumes.ts';
import type { RedisAccess } from '../../../../../operator/rollout/redis-access.ts';
import { createdRun } from '../../../../support/operator/created-run.ts';
import { REDIS } from '../../../../support/operator/redis-world.ts';
import { PODS } from '../../../../support/operator/run-world.ts';

const SHA256 = 'a'.repeat(64);
const URI = { input: { uri: { url: 'https://example.com/items.jsonl', sha256: SHA256 } } };

function volumeOf(run: RolloutRun, name: string, redis: RedisAccess | null = null): object | undefined {
  return coordinatorVolumes(run, redis, 'coordinator.yaml', PODS).find((volume) => volume.name === name);
}

const argsOf = (spec: object): readonly string[] => inputContainer(createdRun(spec), PODS).args?.slice(2) ?? [];

test('everything that is mounted is a volume of the pod, and every volume is mounted by one of its two containers', (t) => {
  const output = { output: { pvc: { claimName: 'data', path: 'a.jsonl' } } };
  for (const [spec, redis] of [
    [{}, null],
    [output, null],
    [{}, REDIS],
    [URI, { ...REDIS, secretName: null }],
    [{ ...output, input: { pvc: { claimName: 'lists', path: 'a.jsonl' } } }, REDIS],
  ] as const) {
    const run = createdRun(spec);
    const volumes = coordinatorVolumes(run, redis, 'coordinator.yaml', PODS).map(({ name }) => name);
    const mounts = [...coordinatorMounts(run, redis), ...(inputContainer(run, PODS).volumeMounts ?? [])].map(({ name }) => name);
    t.deepEqual([...new Set(mounts)].toSorted(), volumes.toSorted());
    t.is(new Set(volumes).size, volumes.length);
  }
});

test('the state outlives the pod where it is the only copy', (t) => {
  t.deepEqual(volumeOf(createdRun(), 'state'), { name: 'state', persistentVolumeClaim: { claimName: 'answers-state' } });
  t.deepEqual(volumeOf(createdRun(), 'state', REDIS), { name: 'state', emptyDir: {} });
});

test('the list comes from the source that the run names, which is not written to', (t) => {
  t.deepEqual(volumeOf(createdRun(), 'input'), { name: 'input', configMap: { name: 'prompts', optional: true } });
  const pvc = { input: { pvc: { claimName: 'lists', path: 'deep/a.jsonl' } } };
  t.deepEqual(volumeOf(createdRun(pvc), 'input'), { name: 'input', persistentVolumeClaim: { claimName: 'lists', readOnly: true } });
  t.is(volumeOf(createdRun(URI), 'input'), undefined);
  t.deepEqual(argsOf({}), ['--file', '/input/items.jsonl', '--to', '/state/input.jsonl']);
  t.deepEqual(argsOf(pvc), ['--file', '/input/deep/a.jsonl', '--to', '/state/input.jsonl']);
  t.deepEqual(argsOf(URI), ['--url', URI.input.uri.url, '--sha256', SHA256, '--to', '/state/input.jsonl']);
});

test('a coordinator whose state has a copy of the list starts without its ConfigMap; one that has to copy it anew waits for it', (t) => {
  t.like(volumeOf(createdRun(), 'input'), { configMap: { optional: true } });
  t.deepEqual(volumeOf(createdRun(), 'input', REDIS), { name: 'input', configMap: { name: 'prompts' } });
});

test('the output has a volume of the user’s where the run names one', (t) => {
  const run = createdRun({ output: { pvc: { claimName: 'data', path: 'a.jsonl' } } });
  t.deepEqual(volumeOf(run, 'output'), { name: 'output', persistentVolumeClaim: { claimName: 'data' } });
  t.is(volumeOf(createdRun(), 'output'), undefined);
});

test('what a server asks for is mounted to be read, and nothing where it asks for nothing', (t) => {
  t.deepEqual(volumeOf(createdRun(), 'redis', REDIS), { name: 'redis', secret: { secretName: 'redis' } });
  t.is(volumeOf(createdRun(), 'redis', { ...REDIS, secretName: null }), undefined);
  t.deepEqual(
    coordinatorMounts(createdRun(), REDIS).filter(({ readOnly }) => readOnly !== true),
    [{ name: 'state', mountPath: '/state' }],
  );
});
