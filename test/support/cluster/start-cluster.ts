import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { V1Node } from '@kubernetes/client-node';
import type { ExecutionContext } from 'ava';
import { buildImage, IMAGE } from '../../cluster/image.ts';
import { PATIENCE_MS } from '../until.ts';
import { KubeApi } from './api.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { Kubectl } from './kubectl.ts';
import { KIND_NODES, type Nodes, ownNodes } from './nodes.ts';
import { CLUSTER_RUN, GIVEN_KUBECONFIG, runScript } from './scripts.ts';
import { untilSeen } from './until-seen.ts';

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

interface ClusterParts {
  readonly kubeconfig: string;
  readonly nodes: Nodes;
  /** Folder of kubectl and helm; empty: wherever the machine has them. */
  readonly programs: string;
  /** The image's file, which is called after its content; empty where it is not made here. */
  readonly image: string;
}

/**
 * The one cluster that all tests of a run share: that of the lane, or one that `make cluster-up` has left running, or the one that
 * ROLLOUT_TEST_KUBECONFIG names. So many nodes are ready when it is returned, and each has the product's image as it is built now.
 */
export async function startCluster({ nodes }: { readonly nodes: number }): Promise<Cluster> {
  parts ??= partsOf();
  const cluster = new Cluster(await parts);
  await cluster.ready(nodes);
  return cluster;
}

/** Of all tests of a process: the product is not built anew while it runs. */
let parts: Promise<ClusterParts> | null = null;

async function partsOf(): Promise<ClusterParts> {
  const given = process.env[GIVEN_KUBECONFIG];
  if (given !== undefined) return { kubeconfig: given, nodes: KIND_NODES, programs: '', image: '' };
  const kubeconfig = join(CLUSTER_RUN, 'kubeconfig');
  if (!existsSync(kubeconfig))
    throw new Error('no cluster runs here: `make cluster-up` starts one, and `make test ONLY=test/cluster` brings its own');
  const image = await buildImage();
  return { kubeconfig, nodes: ownNodes([image]), programs: await runScript('build.sh', ['where']), image };
}

export class Cluster {
  readonly api: KubeApi;
  readonly kubeconfig: string;
  /** Folder of kubectl and helm; empty: wherever the machine has them. */
  readonly programs: string;
  /** It is made by the scripts of test/cluster/kubernetes, and has the storage classes of its addons. */
  readonly isOwn: boolean;
  /** Another text for another image: what runs from an older one has to be started again. */
  readonly image: string;
  readonly #nodes: Nodes;
  readonly #kubectl: Kubectl;
  readonly #helm: Kubectl;
  /** The node that has it, in a cluster where it is one. */
  #controlPlane = '';

  constructor({ kubeconfig, nodes, programs, image }: ClusterParts) {
    this.image = basename(image, '.tar');
    this.api = new KubeApi(readKubeconfig(kubeconfig));
    this.kubeconfig = kubeconfig;
    this.programs = programs;
    this.isOwn = programs !== '';
    this.#nodes = nodes;
    this.#kubectl = new Kubectl(join(programs, 'kubectl'), kubeconfig);
    this.#helm = new Kubectl(join(programs, 'helm'), kubeconfig);
  }

  /** What it printed. Throws with what it said where it fails. */
  kubectl(...args: readonly string[]): Promise<string> {
    return this.#kubectl.run(args);
  }

  helm(...args: readonly string[]): Promise<string> {
    return this.#helm.run(args);
  }

  async kubectlJson<T>(...args: readonly string[]): Promise<T> {
    return JSON.parse(await this.#kubectl.run([...args, '-o', 'json'])) as T;
  }

  /** Objects of one namespace, or of none. */
  async applyYaml(namespace: string, yaml: string): Promise<void> {
    await this.#kubectl.run(['apply', '--server-side', '--namespace', namespace, '-f', '-'], yaml);
  }

  /** Those that take pods. */
  async nodes(): Promise<readonly V1Node[]> {
    const all = await this.api.list<V1Node>('/api/v1/nodes');
    return all.filter((node) => node.metadata?.labels?.[CONTROL_PLANE] === undefined);
  }

  /** Names of those that take pods. */
  async readyNodes(): Promise<readonly string[]> {
    return (await this.nodes()).map(standing).flatMap(({ name, ready }) => (ready === 'True' ? [name] : []));
  }

  /** Until at least so many nodes are ready; those of an own cluster are started where they are missing. */
  async ready(count: number): Promise<void> {
    if (this.isOwn) await Promise.all(Array.from({ length: count }, (_, n) => this.#nodes.start(`node${n + 1}`)));
    await untilSeen(
      `${count} nodes are ready`,
      PATIENCE_MS,
      async () => (await this.nodes()).map(standing),
      (all) => all.filter(({ ready }) => ready === 'True').length >= count,
    );
  }

  /** It is gone without a word, and its pods with it. At the end of the test it is started again. */
  async killNode(t: ExecutionContext, name: string): Promise<void> {
    t.teardown(() => this.startNode(name));
    await this.#nodes.kill(name);
  }

  /** All nodes have the product's image under this name too. */
  async tagImage(name: string): Promise<void> {
    for (const { metadata } of await this.nodes()) await this.#nodes.tagImage(metadata?.name ?? '', IMAGE, name);
  }

  /** Until it is ready. */
  async startNode(name: string): Promise<void> {
    await this.#nodes.start(name);
    await this.untilNode(name, 'True');
  }

  /** From now on its calls are refused by the system, not by it. At the end of the test it is there again. */
  async stopApi(t: ExecutionContext): Promise<void> {
    const all = await this.api.list<V1Node>('/api/v1/nodes');
    this.#controlPlane = all.find((node) => node.metadata?.labels?.[CONTROL_PLANE] !== undefined)?.metadata?.name ?? '';
    t.teardown(() => this.startApi());
    await this.#nodes.stopApi(this.#controlPlane);
  }

  /** Until it answers. */
  async startApi(): Promise<void> {
    await this.#nodes.startApi(this.#controlPlane);
    await untilSeen(
      'the API answers',
      PATIENCE_MS,
      () => this.nodes(),
      (nodes) => nodes.length > 0,
    );
  }

  /** `Unknown`: nothing has been heard of it for so long that it counts as lost. */
  async untilNode(name: string, ready: 'True' | 'Unknown'): Promise<void> {
    await untilSeen(
      `the condition Ready of ${name} is ${ready}`,
      PATIENCE_MS,
      async () => standing(await this.api.call<V1Node>('GET', `/api/v1/nodes/${name}`)),
      (node) => node.ready === ready,
    );
  }
}

/** What there is to see when a node is waited for. */
function standing(node: V1Node): { readonly name: string; readonly ready: string; readonly why: string } {
  const condition = node.status?.conditions?.find(({ type }) => type === 'Ready');
  return { name: node.metadata?.name ?? '', ready: condition?.status ?? 'none', why: condition?.message ?? '' };
}
