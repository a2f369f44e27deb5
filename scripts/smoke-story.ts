/** What the smoke of three nodes is made of: its settings, what its events mean to who watches, and what must have happened. Pure. */

export const PROVIDERS = ['aws', 'gcp'] as const;
export type Provider = (typeof PROVIDERS)[number];

/** How long a drain may take with each provider, as docs/settings.md has it. */
export const DRAIN_MS: Readonly<Record<Provider, number>> = { aws: 60_000, gcp: 15_000 };
export const RUN_MS = 30_000;

export type Event = Readonly<Record<string, unknown>>;

export interface WorkerPlan {
  readonly name: string;
  readonly latency: string;
}

/** In the order in which they start: the slow one takes its share before the others have done everything, and still has some of it when they are there. */
export const WORKERS: readonly [WorkerPlan, WorkerPlan, WorkerPlan] = [
  { name: 'slow', latency: '5s' },
  { name: 'leaving', latency: '800ms' },
  { name: 'quick', latency: '100ms' },
];
export const SLOW: string = WORKERS[0].name;
export const LEAVING: string = WORKERS[1].name;
const ITEMS = 90;

export function inputText(): string {
  const line = (n: number): string => {
    const body = { model: 'mock', messages: [{ role: 'user', content: `question ${n}` }] };
    return `${JSON.stringify({ custom_id: `item-${n}`, method: 'POST', url: '/v1/chat/completions', body })}\n`;
  };
  return Array.from({ length: ITEMS }, (_, n) => line(n)).join('');
}

/** JSON is YAML too. */
export function coordinatorText(dir: string, listen: string): string {
  return text({
    input: `${dir}/in.jsonl`,
    output: `${dir}/out.jsonl`,
    stateDir: `${dir}/state`,
    tls: { dir: `${dir}/tls` },
    listen,
    http: 'none',
  });
}

export function workerText(dir: string, { name, latency }: WorkerPlan, coordinator: string): string {
  return text({
    coordinators: [coordinator],
    workerId: name,
    node: `node-${name}`,
    stateDir: `${dir}/${name}`,
    tls: { dir: `${dir}/tls-${name}` },
    concurrency: 4,
    prefetch: 8,
    backend: { type: 'mock', latency },
    hints: { file: `${dir}/hints-${name}.yaml` },
  });
}

export function hintText(provider: Provider): string {
  return text([{ severity: 'drain', provider, reason: `spot interruption by ${provider}` }]);
}

function text(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** One line for who watches; null where there is nothing to see. */
export function describe(event: Event): string | null {
  const worker = word(event, 'workerId');
  switch (event['kind']) {
    case 'lease_acquired':
      return `the coordinator holds the lease, epoch ${word(event, 'epoch')}`;
    case 'worker_registered':
      return `worker ${worker} has registered`;
    case 'items_stolen':
      return `stolen: ${word(event, 'items')} item(s) that ${word(event, 'from')} had not started go to ${word(event, 'to')}`;
    case 'drain_started':
      return `worker ${worker} drains: ${word(event, 'reason')}; ${word(event, 'remainingMs')} ms are left`;
    case 'drain_step':
      return `worker ${worker} drains: ${word(event, 'step')} (${word(event, 'items')} item(s))`;
    case 'drain_finished':
      return `worker ${worker} has drained: ${word(event, 'end')}`;
    case 'worker_failed':
      return `worker ${worker} was lost: ${word(event, 'reason')}`;
    case 'run_finished':
      return `the run is ${word(event, 'state')}: ${word(event, 'done')} done, ${word(event, 'failed')} failed`;
    default:
      return null;
  }
}

function word(event: Event, field: string): string {
  const value = event[field];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

/** What was seen of one smoke. */
export interface Seen {
  readonly events: readonly Event[];
  readonly coordinatorExit: number;
  readonly runMs: number;
  /** From the hint to the end of the process. */
  readonly leftAfterMs: number;
  readonly workerExits: ReadonlyMap<string, number>;
  readonly verifyExit: number;
  /** Processes that still live. */
  readonly left: readonly string[];
}

/** Everything that is not as it has to be; empty when the smoke has passed. */
export function problems(seen: Seen, provider: Provider): readonly string[] {
  const of = (kind: string): readonly Event[] => seen.events.filter((event) => event['kind'] === kind);
  const found: (string | false)[] = [
    seen.coordinatorExit !== 0 && `the coordinator ended with ${seen.coordinatorExit}, not 0`,
    seen.runMs > RUN_MS && `the run took ${seconds(seen.runMs)}, more than ${seconds(RUN_MS)}`,
    of('items_stolen').length === 0 && 'nothing was stolen (no event items_stolen)',
    seen.leftAfterMs > DRAIN_MS[provider] &&
      `worker ${LEAVING} was gone after ${seconds(seen.leftAfterMs)}; ${provider} leaves a drain ${seconds(DRAIN_MS[provider])}`,
    !of('drain_finished').some((event) => event['workerId'] === LEAVING && event['end'] === 'left') &&
      `worker ${LEAVING} did not drain in order (no event drain_finished with end "left")`,
    of('worker_failed').length > 0 && `a worker was lost: ${JSON.stringify(of('worker_failed')[0])}`,
    ...[...seen.workerExits].map(([name, exit]) => exit !== 0 && `worker ${name} ended with ${exit}, not 0`),
    seen.verifyExit !== 0 && `rollout verify ended with ${seen.verifyExit}: the output is not proved`,
    seen.left.length > 0 && `still running: ${seen.left.join(', ')}`,
  ];
  return found.filter((one) => one !== false);
}

export function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
