/**
 * Makes the volumes of the cluster and removes them, as the storage of a cloud does by its driver: a process beside the control plane,
 * started by up.sh. CLUSTER_RUN and KUBECONFIG say of which cluster.
 */
import { mkdirSync, rmSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';
import { KubeApi, Refused } from '../../support/cluster/api.ts';
import { readKubeconfig } from '../../support/cluster/kubeconfig.ts';
import { volumePlan } from '../../support/cluster/volume-plan.ts';

const CLAIMS = '/api/v1/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
/** Before a watch that has ended, or a pass that has failed, is tried again. */
const PAUSE_MS = 500;
/** As a driver leaves it: whoever is not root needs fsGroup. */
const FOLDER_MODE = 0o755;

const api = new KubeApi(readKubeconfig(process.env['KUBECONFIG'] ?? ''));
const run = process.env['CLUSTER_RUN'] ?? '';
let wake = (): void => undefined;

await Promise.all([watch(CLAIMS), watch(VOLUMES), work()]);

/** What is to be done follows from all that is there; an event only says that it is time to look. */
async function work(): Promise<never> {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
    });
    if (await succeeds(pass)) await changed;
  }
}

async function watch(path: string): Promise<never> {
  for (;;) {
    await succeeds(() => api.watch(path, () => wake()));
    await sleep(PAUSE_MS);
  }
}

async function pass(): Promise<void> {
  const [claims, volumes] = await Promise.all([api.list<V1PersistentVolumeClaim>(CLAIMS), api.list<V1PersistentVolume>(VOLUMES)]);
  const { make, remove } = volumePlan(claims, volumes, run);
  for (const { volume, folder } of make) {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    await api.call('POST', VOLUMES, volume);
    say(`made ${folder}`);
  }
  for (const { name, folder } of remove) {
    rmSync(folder, { recursive: true, force: true });
    await api.call('DELETE', `${VOLUMES}/${name}`);
    say(`removed ${folder}`);
  }
}

/** What fails is told and tried again: the API server may be away for a while. */
async function succeeds(step: () => Promise<void>): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    say(error instanceof Refused ? error.message : String(error));
    await sleep(PAUSE_MS);
    return false;
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
