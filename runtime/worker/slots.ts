import { never } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { bodyBytes } from '../input/body-bytes.ts';
import { contentId } from '../input/content-id.ts';
import { parseLine } from '../input/line.ts';
import { type ItemRef, refKey } from '../model/row.ts';
import type { Assignment } from '../model/session.ts';
import { badLineId } from '../results/output-line.ts';
import type { Backend, Execution } from './backends/contract.ts';
import type { Ending } from './commands.ts';
import { endingOf, type ReadItem, unreadable } from './ending.ts';
import { judge } from './retry.ts';

const FIRST_ENDPOINT = 0;

export interface Slots {
  /** Executes the item once; never rejects for what a server or a network does. */
  run(assignment: Assignment): Promise<Ending>;
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
    run: async (assignment) => {
      const parsed = parseLine(assignment.line, assignment.lineNumber, assignment.form);
      switch (parsed.kind) {
        case 'item': {
          const controller = new AbortController();
          const key = refKey(assignment);
          running.set(key, controller);
          const read = { assignment, item: parsed.item, id: contentId(parsed.item) };
          return execute(deps, read, controller).finally(() => running.delete(key));
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

async function execute(deps: SlotDeps, read: ReadItem, controller: AbortController): Promise<Ending> {
  let isTimedOut = false;
  const timer = deps.clock.after(deps.requestTimeoutMs, () => {
    isTimedOut = true;
    controller.abort();
  });
  const { line, lineNumber, form, attempt } = read.assignment;
  const request = { item: read.item, body: bodyBytes(line, lineNumber, form), requestId: `${read.id}-${attempt}` };
  const execution = await deps.backend.execute(FIRST_ENDPOINT, request, controller.signal).finally(() => timer.stop());
  return endingOf(read, judge(isTimedOut ? timeout(deps) : execution, attempt, deps.random));
}

function timeout({ backend, requestTimeoutMs }: SlotDeps): Execution {
  const message = `${backend.endpoints[FIRST_ENDPOINT]} gave no whole answer within ${requestTimeoutMs} ms (--timeout, or requestTimeout in a settings file)`;
  return { kind: 'failed', code: 'timeout', message };
}
