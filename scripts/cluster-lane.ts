import { join } from 'node:path';
import { CLUSTER_RUN, holderOfCluster, runScript } from '../test/support/cluster/scripts.ts';
import { bringUp } from './bring-up.ts';

/** What a person sets who cannot, or does not want to, run the tests on a cluster. */
export const UNWANTED = 'ROLLOUT_TEST_CLUSTER=none';
const NODES = 3;

export function isClusterUnwanted(): boolean {
  return process.env['ROLLOUT_TEST_CLUSTER'] === 'none';
}

/** The cluster of one run of the tests: each file of test/cluster finds it running. */
export class ClusterLane {
  readonly #say: (line: string) => void;
  readonly #stop = new AbortController();
  #certManager: Promise<unknown> = Promise.resolve();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Null when it is ready, else why there is none. A cluster that the caller has given is taken as it is. */
  async start(files: readonly string[]): Promise<string | null> {
    const { signal } = this.#stop;
    try {
      if (process.env['ROLLOUT_TEST_KUBECONFIG'] === undefined)
        await bringUp({ holder: process.pid, nodes: NODES, say: this.#say, signal });
      if (files.some((file) => file.includes('cert-manager'))) this.#certManager = this.#buildCertManager();
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** What is being built or started is broken off. */
  stop(): void {
    this.#stop.abort();
  }

  /** One that was already there is left running; of one of this run ROLLOUT_TEST_KEEP=1 keeps the logs. Answers what went wrong. */
  async end(): Promise<readonly string[]> {
    await this.#certManager;
    if (holderOfCluster() !== process.pid) return [];
    const isKept = process.env['ROLLOUT_TEST_KEEP'] === '1';
    try {
      await runScript('down.sh', isKept ? [] : ['--wipe'], { env: { CLUSTER_HOLDER: String(process.pid) } });
      if (isKept) this.#say(`the cluster's logs are kept in ${join(CLUSTER_RUN, 'logs')}`);
      return [];
    } catch (error) {
      return [`the cluster could not be ended: ${(error as Error).message}`];
    }
  }

  /** Beside the first files; the test that needs it waits for it, and says what went wrong. */
  async #buildCertManager(): Promise<void> {
    try {
      await runScript('build.sh', ['cert-manager'], { onLine: this.#say, signal: this.#stop.signal });
    } catch (error) {
      this.#say((error as Error).message);
    }
  }
}
