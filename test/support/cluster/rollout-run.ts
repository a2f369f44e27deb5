import { spawn } from 'node:child_process';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import { conditionOf } from '../../../operator/api/conditions.ts';
import type { ConditionType } from '../../../operator/api/names.ts';
import type { RolloutRun } from '../../../operator/api/run.ts';
import type { Pod } from '../../../operator/kube/kind.ts';
import { IMAGE } from '../../cluster/image.ts';
import { PATIENCE_MS } from '../until.ts';
import type { Cluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

export interface RunPlan {
  readonly name: string;
  readonly items: number;
  /** The list, where it is not to be one of `items` good lines. */
  readonly lines?: readonly string[];
  readonly parallelism?: number;
  readonly concurrency?: number;
  /** Of the model server in each worker's pod. */
  readonly latency?: string;
  /** Share of the requests that it refuses. */
  readonly failureRate?: number;
  /** Further fields of the spec. */
  readonly spec?: object;
  /** Further fields of the workers' PodSpec. */
  readonly podSpec?: object;
}

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ['ALL'] },
  seccompProfile: { type: 'RuntimeDefault' },
};

/** One run of a namespace, as its user sees it. */
export class ClusterRun {
  readonly #cluster: Cluster;
  readonly namespace: string;
  readonly name: string;
  readonly #plan: RunPlan;

  private constructor(cluster: Cluster, namespace: string, plan: RunPlan) {
    this.#cluster = cluster;
    this.namespace = namespace;
    this.name = plan.name;
    this.#plan = plan;
  }

  static async apply(cluster: Cluster, namespace: string, plan: RunPlan): Promise<ClusterRun> {
    const [run] = await ClusterRun.applyAll(cluster, namespace, [plan]);
    return run as ClusterRun;
  }

  /** In one call, since there are many. */
  static async applyAll(cluster: Cluster, namespace: string, plans: readonly RunPlan[], hasLists = true): Promise<readonly ClusterRun[]> {
    const objects = plans.flatMap((plan) => [...(hasLists ? [inputOf(plan)] : []), runOf(plan)]);
    await cluster.applyYaml(namespace, objects.map((object) => JSON.stringify(object)).join('\n---\n'));
    return plans.map((plan) => new ClusterRun(cluster, namespace, plan));
  }

  static async applyWithoutList(cluster: Cluster, namespace: string, plan: RunPlan): Promise<ClusterRun> {
    await cluster.applyYaml(namespace, JSON.stringify(runOf(plan)));
    return new ClusterRun(cluster, namespace, plan);
  }

  async applyList(): Promise<void> {
    await this.#cluster.applyYaml(this.namespace, JSON.stringify(inputOf(this.#plan)));
  }

  async deleteList(): Promise<void> {
    await this.#cluster.api.call('DELETE', `/api/v1/namespaces/${this.namespace}/configmaps/${this.name}`);
  }

  async delete(): Promise<void> {
    await this.#cluster.api.call('DELETE', this.path);
  }

  get path(): string {
    return `/apis/rollout.run/v1alpha1/namespaces/${this.namespace}/rolloutruns/${this.name}`;
  }

  async get(): Promise<RolloutRun> {
    return this.#cluster.api.call<RolloutRun>('GET', this.path);
  }

  async patch(patch: object): Promise<void> {
    await this.#cluster.api.call('PATCH', this.path, patch, 'application/merge-patch+json');
  }

  /** Its model servers are replaced, one after the other, by others of this latency: a run that was long enough for its test soon ends. */
  async hasten(latency: string): Promise<void> {
    await this.patch({ spec: runSpecOf({ ...this.#plan, latency }) });
  }

  /** Pods of a part of the run, those that are ending included. */
  async pods(component: 'coordinator' | 'worker'): Promise<readonly Pod[]> {
    const selector = encodeURIComponent(`rollout.run/run=${this.name},app.kubernetes.io/component=${component}`);
    return this.#cluster.api.list<Pod>(`/api/v1/namespaces/${this.namespace}/pods?labelSelector=${selector}`);
  }

  /** Workers that run and are to stay. */
  async workers(): Promise<readonly Pod[]> {
    return (await this.pods('worker')).filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
    );
  }

  async until(what: string, isIt: (run: RolloutRun) => boolean, withinMs: number = 2 * PATIENCE_MS): Promise<RolloutRun> {
    return untilSeen(`${this.name}: ${what}`, withinMs, async () => this.get(), isIt);
  }

  async untilCondition(type: ConditionType, status: 'True' | 'False', withinMs: number = 2 * PATIENCE_MS): Promise<RolloutRun> {
    return this.until(`${type} is ${status}`, (run) => conditionOf(run.status?.conditions ?? [], type)?.status === status, withinMs);
  }

  async untilRecorded(items: number): Promise<RolloutRun> {
    return this.until(`${items} items are recorded`, ({ status }) => (status?.items?.done ?? 0) + (status?.items?.failed ?? 0) >= items);
  }

  /** Workers at the coordinator, and so many of them ready. */
  async untilReady(workers: number): Promise<RolloutRun> {
    return this.until(`${workers} workers are ready`, ({ status }) => status?.workers?.ready === workers);
  }

  /** Neither workers nor coordinators are left. */
  async untilNoPods(): Promise<void> {
    await untilSeen(
      `${this.name} has no pods`,
      PATIENCE_MS,
      async () => [...(await this.pods('worker')), ...(await this.pods('coordinator'))].map(({ metadata }) => metadata.name),
      (names) => names.length === 0,
    );
  }

  async untilEnd(): Promise<RolloutRun> {
    return this.untilCondition('Complete', 'True', 4 * PATIENCE_MS);
  }

  /** The run completes, and each of its items has exactly one record, in the order of the list. */
  async assertComplete(t: ExecutionContext): Promise<RolloutRun> {
    const run = await this.untilEnd();
    const { items } = this.#plan;
    t.like(run.status, { phase: 'Complete', progress: `${items}/${items}`, items: { done: items, failed: 0 } });
    const { exit, out, err } = await rolloutRun(this.#cluster, '--namespace', this.namespace, 'results', this.name);
    t.is(exit, 0, err);
    const ids = out
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
    t.deepEqual(ids, idsOf(items));
    return run;
  }
}

export interface Printed {
  readonly exit: number | null;
  readonly out: string;
  readonly err: string;
}

/** `kubectl rollout-run`, as the plugin is started. */
export async function rolloutRun(cluster: Cluster, ...args: readonly string[]): Promise<Printed> {
  const child = spawn(process.execPath, ['runtime/kubectl.js', '--kubeconfig', cluster.kubeconfig, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [exit, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { exit, out, err };
}

const idsOf = (items: number): readonly string[] => Array.from({ length: items }, (_, at) => `item-${at}`);

export function lineOf(id: string): string {
  const body = { messages: [{ role: 'user', content: `say ${id}` }] };
  return JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body });
}

function inputOf({ name, items, lines = idsOf(items).map(lineOf) }: RunPlan): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { 'items.jsonl': `${lines.join('\n')}\n` } };
}

function runOf(plan: RunPlan): object {
  return { apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', metadata: { name: plan.name }, spec: runSpecOf(plan) };
}

function runSpecOf({
  name,
  parallelism = 3,
  concurrency = 4,
  latency = '500ms',
  failureRate = 0,
  spec = {},
  podSpec = {},
}: RunPlan): object {
  const model = {
    name: 'model',
    image: IMAGE,
    command: [...['node', '/app/cli.js', 'mock-server', '--port', '8000', '--latency', latency], '--failure-rate', String(failureRate)],
    securityContext: RESTRICTED,
  };
  return {
    input: { configMap: { name } },
    workers: { parallelism, concurrency, template: { spec: { containers: [model], ...podSpec } } },
    ...spec,
  };
}
