import { assertNever } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Random } from '../base/random.ts';
import { bodyBytes } from '../format/body-bytes.ts';
import { contentId } from '../format/content-id.ts';
import { parseIndexedLine } from '../format/line.ts';
import { badLineId } from '../format/output-line.ts';
import { type ItemRef, refKey } from '../model/row.ts';
import type { Assignment } from '../model/session.ts';
import type { Backend, Executed, Stop } from './backends/contract.ts';
import type { Ending } from './commands.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { Deadlines } from './deadlines.ts';
import { endingOf, type ReadItem, unreadable } from './ending.ts';
import { judge, TIMEOUT_CODE } from './endpoint/retry.ts';

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
  return new BackendSlots(deps);
}

class BackendSlots implements Slots {
  readonly #deps: SlotDeps;
  readonly #running = new Map<string, Running>();
  readonly #answering: Deadlines<Running>;
  readonly #takeDeadline = (running: Running): Deadline | null => this.#ownDeadline(running);
  /** Told to stop. */
  readonly #lettingGo: Deadlines<Running>;

  constructor(deps: SlotDeps) {
    const { clock, requestTimeoutMs } = deps;
    this.#deps = deps;
    this.#answering = new Deadlines(clock, requestTimeoutMs, (running) => this.#timeOut(running));
    this.#lettingGo = new Deadlines(clock, LET_GO_MS, (running) => running.end(ABANDONED));
  }

  run(assignment: Assignment, endpoint: number): Promise<Ending> {
    const parsed = parseIndexedLine(assignment.line, assignment.lineNumber, assignment.form);
    switch (parsed.kind) {
      case 'item':
        return this.#execute(endpoint, { assignment, item: parsed.item, id: contentId(parsed.item) });
      case 'invalid':
        return Promise.resolve(unreadable(assignment, badLineId(assignment.lineNumber), parsed.customId, parsed.code, parsed.message));
      case 'blank':
        return Promise.resolve(unreadable(assignment, badLineId(assignment.lineNumber), null, 'invalid_json', 'the line is blank'));
      default:
        return assertNever(parsed);
    }
  }

  stop(ref: ItemRef): void {
    const running = this.#running.get(refKey(ref));
    if (running !== undefined) this.#letGo(running);
  }

  stopAll(): void {
    for (const running of this.#running.values()) this.#letGo(running);
  }

  async #execute(endpoint: number, read: ReadItem): Promise<Ending> {
    const { backend, clock, requestTimeoutMs, random } = this.#deps;
    const { line, lineNumber, form, attempt } = read.assignment;
    const request = { item: read.item, bytes: () => bodyBytes(line, lineNumber, form), requestId: `${read.id}-${attempt}` };
    const running = new Running(this.#takeDeadline);
    const key = refKey(read.assignment);
    this.#running.set(key, running);
    this.#answering.add(running);
    backend.execute(endpoint, request, running).then(running.end, (error: unknown) => running.end(broken(error)));
    const execution = await running.ended;
    this.#running.delete(key);
    this.#stopCounting(running);
    this.#lettingGo.delete(running);
    const url = backend.endpoints[endpoint] ?? '';
    const executed = running.isTimedOut ? timeout(url, requestTimeoutMs) : execution;
    return endingOf(read, judge(executed, attempt, random, backend.hide, clock.wallMs()));
  }

  /** One whose time is to stand still for a while has a deadline of its own from then on; null where it has none any more. */
  #ownDeadline(running: Running): Deadline | null {
    const leftMs = this.#answering.delete(running);
    return leftMs === null ? null : startDeadline(this.#deps.clock, leftMs, () => this.#timeOut(running));
  }

  #stopCounting(running: Running): void {
    this.#answering.delete(running);
    running.ownDeadline?.stop();
  }

  #timeOut(running: Running): void {
    running.isTimedOut = true;
    this.#letGo(running);
  }

  /** A backend that was told to stop and does not is waited for a while, and no longer (W15). */
  #letGo(running: Running): void {
    this.#stopCounting(running);
    this.#lettingGo.add(running);
    running.abort();
  }
}

/** An execution under way. */
class Running implements Stop {
  isTimedOut = false;
  ownDeadline: Deadline | null = null;
  readonly #takeDeadline: (running: Running) => Deadline | null;
  #controller: AbortController | null = null;
  #isAborted = false;
  /** The first end counts. */
  end: (execution: Executed) => void = () => undefined;
  readonly ended: Promise<Executed> = new Promise((resolve) => {
    this.end = resolve;
  });

  constructor(takeDeadline: (running: Running) => Deadline | null) {
    this.#takeDeadline = takeDeadline;
  }

  uncounted<T>(wait: Promise<T>): Promise<T> {
    this.ownDeadline ??= this.#takeDeadline(this);
    return this.ownDeadline?.uncounted(wait) ?? wait;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }
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
