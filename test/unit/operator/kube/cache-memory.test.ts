import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { build } from 'esbuild';
import { ApiEdge } from '../../../support/api-edge.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const PODS = 5_000;
const OTHERS = 200;
const MAX_MIB = 150;
/** Else the heap has up to 48 MiB for what is garbage a moment later, of which a list and each event make much. */
const SMALL_YOUNG_SPACE = '--max-semi-space-size=4';

interface Told {
  readonly objects: readonly [number, number];
  /** The highest version of a pod. */
  readonly newest: number;
  readonly beforeMib: number;
  readonly rssMib: number;
}

/** A pod with what the API server, the scheduler and the kubelet add to one: about 10 KiB. */
function largePod(at: number): object {
  const env = Array.from({ length: 20 }, (_, n) => ({ name: `VARIABLE_${n}`, value: `a value of some length, number ${n} of pod ${at}` }));
  const container = {
    name: 'main',
    image: `registry.example/models/server:${at % 7}`,
    env,
    resources: { limits: { cpu: '4', memory: '16Gi' } },
    volumeMounts: [{ name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', readOnly: true }],
  };
  const condition = (type: string): object => ({
    type,
    status: 'True',
    lastTransitionTime: '2026-01-01T00:00:00Z',
    reason: 'AsItShouldBe',
  });
  return {
    spec: {
      nodeName: `node-${at % 100}`,
      containers: [container, { ...container, name: 'second' }],
      tolerations: [{ operator: 'Exists' }],
    },
    status: {
      phase: 'Running',
      podIP: `10.0.${at % 250}.7`,
      conditions: ['Ready', 'Initialized', 'ContainersReady', 'PodScheduled'].map(condition),
      containerStatuses: [{ name: 'main', ready: true, imageID: `sha256:${'0123456789abcdef'.repeat(4)}`, state: { running: {} } }],
    },
  };
}

function fieldsOf(manager: string): object {
  return {
    manager,
    operation: 'Update',
    fieldsV1: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`f:field-${n}`, { '.': {} }])),
  };
}

/** As what is shipped: of the packages only what is used is loaded. */
async function bundled(dir: string): Promise<string> {
  const outfile = join(dir, 'cache.mjs');
  const entry = fileURLToPath(new URL('../../../support/cache-process.ts', import.meta.url));
  const js = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } });
  return outfile;
}

/** What the process tells, until it is what is waited for. */
async function told(lines: AsyncIterator<string>, isIt: (told: Told) => boolean): Promise<Told> {
  for (;;) {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('the process has ended');
    const one = JSON.parse(value) as Told;
    if (isIt(one)) return one;
  }
}

test(`caches of ${PODS} pods and ${OTHERS} other objects stay below ${MAX_MIB} MiB, all else in the process included`, async (t) => {
  t.timeout(120_000);
  const [pods, others] = [new ApiEdge('Pod'), new ApiEdge('ConfigMap')];
  const managedFields = [fieldsOf('scheduler'), fieldsOf('kubelet')];
  for (let at = 0; at < PODS; at += 1)
    pods.put(`pod-${at}`, largePod(at), { managedFields, labels: { app: 'server', shard: `${at % 50}` } });
  for (let at = 0; at < OTHERS; at += 1) others.put(`other-${at}`, { data: { text: 'x'.repeat(4_000) } });
  const program = await bundled(temporaryDir(t));
  const cache = spawn(process.execPath, [SMALL_YOUNG_SPACE, program, await pods.start(t), await others.start(t)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.teardown(() => cache.kill('SIGKILL'));

  const lines = createInterface({ input: cache.stdout })[Symbol.asyncIterator]();
  const listed = await told(lines, ({ objects }) => objects[0] === PODS && objects[1] === OTHERS);
  const listedMib = Math.round(JSON.stringify([...pods.objects.values()]).length / 2 ** 20);
  t.log(`the list of pods has ${listedMib} MiB; RSS before ${listed.beforeMib} MiB, with the caches ${listed.rssMib} MiB`);
  t.true(listedMib > 30, 'pods are as large as real ones');
  t.true(listed.rssMib < MAX_MIB, `${listed.rssMib} MiB`);
  for (let at = 0; at < 2_000; at += 1) pods.put(`pod-${at}`, largePod(at));
  const followed = await told(lines, ({ newest }) => String(newest) === pods.version);
  t.log(`after 2,000 changes ${followed.rssMib} MiB`);
  t.true(followed.rssMib < MAX_MIB, `${followed.rssMib} MiB`);
  t.is(pods.lists.length, 1);
});
