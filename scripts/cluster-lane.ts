import {
  CLUSTERS,
  type ClusterNumber,
  clusterEnvironment,
  clusterRun,
  GIVEN_KUBECONFIG,
  holderOfCluster,
  runScript,
} from '../test/support/cluster/scripts.ts';
import { bringUp } from './bring-up.ts';

/** What a person sets who cannot, or does not want to, run the tests on a cluster. */
export const UNWANTED = 'ROLLOUT_TEST_CLUSTER=none';
const NODES = 3;
/** The files of test/cluster that start cert-manager. */
const OF_CERT_MANAGER = /cert-manager|certificates/;

export function isClusterUnwanted(): boolean {
  return process.env['ROLLOUT_TEST_CLUSTER'] === 'none';
}

/**
 * The clusters of one run of the tests: each file of test/cluster finds its own running. The first has all that share one; what one test
 * after the other has to itself is divided between both.
 */
export class ClusterLane {
  readonly #say: (line: string) => void;
  readonly #stop = new AbortController();

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** Null when it is ready, else why there is none. A cluster that the caller has given is taken as it is. */
  async start(files: readonly string[]): Promise<string | null> {
    try {
      if (!isGiven()) await this.#bringUp(0);
      if (files.some((file) => OF_CERT_MANAGER.test(file))) await this.#buildCertManager();
      return null;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** Whether there is a second one. Without it all runs on the first, and takes longer. */
  async startSecond(): Promise<boolean> {
    if (isGiven()) return false;
    try {
      await this.#bringUp(1);
      return true;
    } catch (error) {
      this.#say(`there is no second cluster: ${(error as Error).message}`);
      return false;
    }
  }

  /** What is being built or started is broken off. */
  stop(): void {
    this.#stop.abort();
  }

  /** One that was already there is left running; of those of this run ROLLOUT_TEST_KEEP=1 keeps the logs. Answers what went wrong. */
  async end(): Promise<readonly string[]> {
    const wrong: string[] = [];
    const isKept = process.env['ROLLOUT_TEST_KEEP'] === '1';
    for (const number of CLUSTERS) {
      if (holderOfCluster(number) !== process.pid) continue;
      try {
        const env = { ...clusterEnvironment(number), CLUSTER_HOLDER: String(process.pid) };
        await runScript('down.sh', isKept ? [] : ['--wipe'], { env });
        if (isKept) this.#say(`the logs of cluster ${number} are kept in ${clusterRun(number)}/logs`);
      } catch (error) {
        wrong.push(`cluster ${number} could not be ended: ${(error as Error).message}`);
      }
    }
    return wrong;
  }

  #bringUp(number: ClusterNumber): Promise<void> {
    return bringUp({ number, holder: process.pid, nodes: NODES, say: this.#say, signal: this.#stop.signal });
  }

  /**
   * Before the first test: beside three of them on two cores it takes a quarter of an hour, and they fail. Where it cannot be built, the
   * tests that need it fail, and say why.
   */
  async #buildCertManager(): Promise<void> {
    try {
      await runScript('build.sh', ['cert-manager'], { onLine: this.#say, signal: this.#stop.signal });
    } catch (error) {
      this.#say((error as Error).message);
    }
  }
}

function isGiven(): boolean {
  return process.env[GIVEN_KUBECONFIG] !== undefined;
}
