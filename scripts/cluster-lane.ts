import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_RUN, runScript } from '../test/support/cluster/scripts.ts';
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

  /** With ROLLOUT_TEST_KEEP=1 the logs are kept. One that was already there is left running. */
  async end(): Promise<void> {
    await this.#certManager;
    if (holderPid() !== process.pid) return;
    const isKept = process.env['ROLLOUT_TEST_KEEP'] === '1';
    await runScript('down.sh', isKept ? [] : ['--wipe'], { env: { CLUSTER_HOLDER: String(process.pid) } });
    if (isKept) this.#say(`the cluster's logs are kept in ${join(CLUSTER_RUN, 'logs')}`);
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

/** The process that has the cluster of this machine; null where there is none. */
function holderPid(): number | null {
  try {
    return Number.parseInt(readFileSync(join(CLUSTER_RUN, 'holder'), 'utf8'), 10);
  } catch {
    return null;
  }
}
