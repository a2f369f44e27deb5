import { never } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { bodyBytes } from '../input/body-bytes.ts';
import { contentId } from '../input/content-id.ts';
import { parseLine } from '../input/line.ts';
import { type ItemRef, refKey } from '../model/row.ts';
import type { Assignment } from '../model/session.ts';
import { badLineId } from '../results/output-line.ts';
import type { Backend, Executed } from './backends/contract.ts';
import type { Ending } from './commands.ts';
import { startDeadline } from './deadline.ts';
import { endingOf, type ReadItem, unreadable } from './ending.ts';
import { judge, TIMEOUT_CODE } from './retry.ts';

/** A backend that was told to stop has this long; after it the slot is used for the next item. */
export const LET_GO_MS = 5_000;

export interface Slots {
  /** Executes the item once on an endpoint. Always resolves, whatever a server, a network or the backend does. */
  run(assignment: Assignment, endpoint: number): Promise<Ending>;
  /** Lets go of the execution at once. */
  stop(ref: ItemRef): void;
  stopAll(): void;
}

export interface SlotDeps {
  readonly backend: Backend;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly random: Random;
}

export function createSlots(deps: SlotDeps): Slots {
  const running = new Map<string, AbortController>();
  return {
    run: async (assignment, endpoint) => {
      const parsed = parseLine(assignment.line, assignment.lineNumber, assignment.form);
      switch (parsed.kind) {
        case 'item': {
          const controller = new AbortController();
          const key = refKey(assignment);
          running.set(key, controller);
          const read = { assignment, item: parsed.item, id: contentId(parsed.item) };
          return execute(deps, endpoint, read, controller).finally(() => running.delete(key));
        }
        case 'invalid':
          return unreadable(assignment, badLineId(assignment.lineNumber), parsed.customId, parsed.code, parsed.message);
        case 'blank':
          return unreadable(assignment, badLineId(assignment.lineNumber), null, 'invalid_json', 'the line is blank');
        default:
          return never(parsed);
      }
    },
    stop: (ref) => running.get(refKey(ref))?.abort(),
    stopAll: () => {
      for (const controller of running.values()) controller.abort();
    },
  };
}

async function execute(deps: SlotDeps, endpoint: number, read: ReadItem, controller: AbortController): Promise<Ending> {
  const { backend, clock, requestTimeoutMs } = deps;
  let isTimedOut = false;
  const deadline = startDeadline(clock, requestTimeoutMs, () => {
    isTimedOut = true;
    controller.abort();
  });
  controller.signal.addEventListener('abort', () => deadline.stop(), { once: true });
  const { line, lineNumber, form, attempt } = read.assignment;
  const request = { item: read.item, body: bodyBytes(line, lineNumber, form), requestId: `${read.id}-${attempt}` };
  const executed = backend.execute(endpoint, request, controller.signal, deadline.uncounted).catch(broken);
  const execution = await orAbandoned(executed, controller.signal, clock);
  deadline.stop();
  const url = backend.endpoints[endpoint] ?? '';
  const judged = judge(isTimedOut ? timeout(url, requestTimeoutMs) : execution, attempt, deps.random, backend.hide, clock.wallMs());
  return endingOf(read, judged);
}

/** A backend that was told to stop and does not is no longer waited for. */
async function orAbandoned(executed: Promise<Executed>, signal: AbortSignal, clock: Clock): Promise<Executed> {
  let stop = (): void => undefined;
  const abandoned = new Promise<Executed>((resolve) => {
    const onAbort = (): void => {
      const timer = clock.after(LET_GO_MS, () => resolve(ABANDONED));
      stop = () => timer.stop();
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
  const execution = await Promise.race([executed, abandoned]);
  stop();
  return execution;
}

const ABANDONED: Executed = { kind: 'failed', code: 'connection_reset', message: 'the backend did not let go of the item' };

/** A backend that throws has not sent the item, and would throw again. */
function broken(error: unknown): Executed {
  const reason = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', code: 'invalid_request', message: `the item cannot be sent: ${reason}` };
}

function timeout(url: string, requestTimeoutMs: number): Executed {
  const message = `${url} gave no whole answer within ${requestTimeoutMs} ms (--timeout, or requestTimeout in a settings file)`;
  return { kind: 'failed', code: TIMEOUT_CODE, message };
}
