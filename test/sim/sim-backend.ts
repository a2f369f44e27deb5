import type { Random } from '../../runtime/base/random.ts';
import type { Backend, Executed, Request } from '../../runtime/worker/backends/contract.ts';
import { hidingOf } from '../../runtime/worker/backends/hiding.ts';
import type { SimProcess } from './sim-process.ts';
import { poisonedItems } from './sim-source.ts';
import { between } from './swarm.ts';
import type { World } from './world.ts';

/** How much longer a slow execution takes than another one. */
const SLOW_FACTOR = 30;
const NEVER_MS = 3_600_000;
/** As the API of OpenAI says it. */
const WITHOUT_QUOTA = '{"error":{"message":"the quota is used up","type":"insufficient_quota","code":"insufficient_quota"}}';

export interface BackendOptions {
  readonly world: World;
  readonly process: SimProcess;
  readonly worker: string;
  readonly onExecuted: (ref: { readonly index: number; readonly attempt: number }) => void;
  readonly onStopped: (ref: { readonly index: number; readonly attempt: number }) => void;
  /** The item takes the whole process with it. */
  readonly onCrash: () => void;
}

export function createSimBackend({ world, process, worker, onExecuted, onStopped, onCrash }: BackendOptions): Backend {
  const random = world.stream(`backend of ${process.name}`);
  const poisoned = poisonedItems(world.plan);
  return {
    endpoints: ['sim'],
    hide: hidingOf([]),
    isReady: async () => {
      await process.clock.sleep(random.next() * 20);
      return isAway(world, worker) ? { kind: 'not-ready', detail: 'the server' } : { kind: 'ready' };
    },
    execute: async (_endpoint, request, { signal }) => {
      const ref = refOf(request);
      onExecuted(ref);
      if (isAway(world, worker) || world.faults.strikes('answer-unavailable')) return { kind: 'unavailable', detail: 'refused' };
      const isCrash = world.faults.strikes('answer-kills-worker') || poisoned.has(ref.index);
      const isNever = !isCrash && world.faults.strikes('answer-never');
      // What kills its worker does so before it could time out.
      const lastsMs = isCrash ? world.plan.executionMs : executionMs(world, random);
      await process.clock.sleep(isNever ? NEVER_MS : lastsMs, signal);
      if (signal.aborted) onStopped(ref);
      if (signal.aborted) return { kind: 'failed', code: 'connection_reset', message: `let go by ${worker}` };
      if (isCrash) {
        onCrash();
        return new Promise<Executed>(() => undefined);
      }
      return answer(world, random, worker, ref);
    },
    close: async () => undefined,
  };
}

function isAway(world: World, worker: string): boolean {
  return world.queue.nowMs < (world.backendAwayUntilMs.get(worker) ?? 0);
}

function executionMs({ plan }: World, random: Random): number {
  const isSlow = random.next() * 1_000 < plan.slowPerMille;
  return between(random, 0.3, 1.7) * plan.executionMs * (isSlow ? between(random, 2, SLOW_FACTOR) : 1);
}

/** The request's name ends with the attempt, the item's with its index. */
function refOf({ item, requestId }: Request): { readonly index: number; readonly attempt: number } {
  return { index: Number(item.customId.slice(1)), attempt: Number(requestId.slice(requestId.lastIndexOf('-') + 1)) };
}

function answer(world: World, random: Random, worker: string, ref: { readonly index: number; readonly attempt: number }): Executed {
  const { faults } = world;
  const text = 'x'.repeat(world.plan.answerBytes);
  const own = `{"index":${ref.index},"attempt":${ref.attempt},"by":"${worker}","text":"${text}"}`;
  const answered = (status: number, headers: Readonly<Record<string, string>> = {}, body = own): Executed => ({
    kind: 'answered',
    url: 'sim',
    status,
    requestId: null,
    headers,
    body: Buffer.from(body),
  });
  if (faults.strikes('answer-failed')) return answered(500);
  if (faults.strikes('answer-without-quota')) return answered(429, {}, WITHOUT_QUOTA);
  if (faults.strikes('answer-refused')) return answered(404);
  if (faults.strikes('answer-throttled')) return answered(429, { 'retry-after-ms': String(Math.floor(random.next() * 400)) });
  if (faults.strikes('answer-reset')) return { kind: 'failed', code: 'connection_reset', message: `reset, said ${worker}` };
  return answered(200);
}
