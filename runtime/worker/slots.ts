import { assertNever } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { LinkedList } from '../base/linked-list.ts';
import type { Random } from '../base/random.ts';
import { bodyBytes } from '../format/body-bytes.ts';
import { contentId } from '../format/content-id.ts';
import { parseIndexedLine } from '../format/line.ts';
import { badLineId } from '../format/output-line.ts';
import type { Item } from '../model/item.ts';
import type { ItemRef } from '../model/row.ts';
import type { Assignment } from '../model/session.ts';
import type { Backend, Executed, Request, Stop } from './backends/contract.ts';
import type { Ending } from './commands.ts';
import { type Deadline, startDeadline } from './deadline.ts';
import { Deadlines, type Due } from './deadlines.ts';
import { endingOf, type ReadItem, unreadable } from './ending.ts';
import { judge, TIMEOUT_CODE } from './endpoint/retry.ts';

/** A backend that was told to stop has this long; after it the slot is used for the next item. */
export const LET_GO_MS = 5_000;

export interface Slots {
  /**
   * Executes the item once on an endpoint. `onEnded` is called once, whatever a server, a network or the backend does; at once where the
   * line cannot be read. Nothing is returned then, else the promise rejects where this program is at fault.
   */
  start(assignment: Assignment, endpoint: number, onEnded: (ending: Ending) => void): Promise<void> | null;
  /** The same as a promise, which costs more. */
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
  /** What runs is in one of these. */
  readonly #answering: Deadlines<Running>;
  readonly #withOwnDeadline = new LinkedList<Running>();
  readonly #takeDeadline = (running: Running): Deadline | null => this.#ownDeadline(running);
  /** Told to stop. */
  readonly #lettingGo: Deadlines<Running>;

  constructor(deps: SlotDeps) {
    const { clock, requestTimeoutMs } = deps;
    this.#deps = deps;
    this.#answering = new Deadlines(clock, requestTimeoutMs, (running) => this.#timeOut(running));
    this.#lettingGo = new Deadlines(clock, LET_GO_MS, (running) => this.#end(running, ABANDONED));
  }

  start(assignment: Assignment, endpoint: number, onEnded: (ending: Ending) => void): Promise<void> | null {
    const { line, lineNumber, form } = assignment;
    const parsed = parseIndexedLine(line, lineNumber, form);
    switch (parsed.kind) {
      case 'item': {
        const { item } = parsed;
        return this.#execute(new Running({ assignment, item, id: contentId(item) }, endpoint, onEnded, this.#takeDeadline));
      }
      case 'invalid':
        onEnded(unreadable(assignment, badLineId(lineNumber), parsed.customId, parsed.code, parsed.message));
        return null;
      case 'blank':
        onEnded(unreadable(assignment, badLineId(lineNumber), null, 'invalid_json', 'the line is blank'));
        return null;
      default:
        return assertNever(parsed);
    }
  }

  run(assignment: Assignment, endpoint: number): Promise<Ending> {
    return new Promise((resolve, reject) => {
      this.start(assignment, endpoint, resolve)?.catch(reject);
    });
  }

  /** Stops are rare: nothing is kept for each item that would find it sooner. */
  stop({ index, attempt }: ItemRef): void {
    for (const running of this.#unstopped()) {
      const { assignment } = running.read;
      if (assignment.index === index && assignment.attempt === attempt) this.#letGo(running);
    }
  }

  stopAll(): void {
    for (const running of this.#unstopped()) this.#letGo(running);
    this.#answering.rest();
  }

  #unstopped(): readonly Running[] {
    return [...this.#answering, ...this.#withOwnDeadline];
  }

  #execute(running: Running): Promise<void> {
    this.#answering.add(running);
    return this.#deps.backend.execute(running.endpoint, new ItemRequest(running.read), running).then(
      (executed) => this.#end(running, executed),
      (error: unknown) => this.#end(running, broken(error)),
    );
  }

  /** The first end counts. */
  #end(running: Running, execution: Executed): void {
    if (running.hasEnded) return;
    running.hasEnded = true;
    this.#stopCounting(running);
    if (running.isAborted) this.#forgetStop(running);
    const { backend, clock, random, requestTimeoutMs } = this.#deps;
    const { read, endpoint } = running;
    const executed = running.isTimedOut ? timeout(backend.endpoints[endpoint] ?? '', requestTimeoutMs) : execution;
    running.onEnded(endingOf(read, judge(executed, read.assignment.attempt, random, backend.hide, clock.wallMs())));
  }

  #forgetStop(running: Running): void {
    this.#lettingGo.delete(running);
    this.#lettingGo.rest();
  }

  /** One whose time is to stand still for a while has a deadline of its own from then on; null where it has none any more. */
  #ownDeadline(running: Running): Deadline | null {
    const leftMs = this.#answering.leftMs(running);
    if (leftMs === null) return null;
    this.#withOwnDeadline.add(running);
    return startDeadline(this.#deps.clock, leftMs, () => this.#timeOut(running));
  }

  #stopCounting(running: Running): void {
    this.#answering.delete(running);
    this.#withOwnDeadline.delete(running);
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
class Running implements Stop, Due<Running> {
  readonly read: ReadItem;
  readonly endpoint: number;
  readonly onEnded: (ending: Ending) => void;
  isTimedOut = false;
  isAborted = false;
  hasEnded = false;
  dueMs = 0;
  list: LinkedList<Running> | null = null;
  before: Running | null = null;
  after: Running | null = null;
  ownDeadline: Deadline | null = null;
  readonly #takeDeadline: (running: Running) => Deadline | null;
  #controller: AbortController | null = null;

  constructor(read: ReadItem, endpoint: number, onEnded: (ending: Ending) => void, takeDeadline: (running: Running) => Deadline | null) {
    this.read = read;
    this.endpoint = endpoint;
    this.onEnded = onEnded;
    this.#takeDeadline = takeDeadline;
  }

  uncounted<T>(wait: Promise<T>): Promise<T> {
    this.ownDeadline ??= this.#takeDeadline(this);
    return this.ownDeadline?.uncounted(wait) ?? wait;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isAborted) this.#controller.abort();
    return this.#controller.signal;
  }

  abort(): void {
    this.isAborted = true;
    this.#controller?.abort();
  }
}

class ItemRequest implements Request {
  readonly item: Item;
  readonly requestId: string;
  readonly #assignment: Assignment;

  constructor({ assignment, item, id }: ReadItem) {
    this.item = item;
    this.requestId = `${id}-${assignment.attempt}`;
    this.#assignment = assignment;
  }

  bytes(): Uint8Array {
    const { line, lineNumber, form } = this.#assignment;
    return bodyBytes(line, lineNumber, form);
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
