import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import type { DrainReply, HintReply } from '../../runtime/model/drain.ts';
import { type ItemRef, plainRef, refKey } from '../../runtime/model/row.ts';
import type {
  Assignment,
  Beat,
  BeatReply,
  Deregistration,
  ItemReturn,
  Order,
  Outcome,
  Poll,
  PollReply,
} from '../../runtime/model/session.ts';
import type { CoordinatorCore, SessionReceiver, SessionWriter, StreamReceiver, StreamWriter } from '../../runtime/rpc/core.ts';
import { startServer } from '../../runtime/rpc/server.ts';
import { serverCredentials } from '../../runtime/rpc/tls.ts';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { assignment, ok } from './worker-state.ts';

/**
 * A coordinator as far as one worker sees one: a real gRPC server over mTLS whose core hands out items from memory and notes what
 * it hears. It records no result and keeps no rule but those of the wire.
 */
export interface FakeCoordinator {
  readonly address: string;
  readonly port: number;
  readonly heard: Heard;
  epoch: number;
  order: Order;
  /** What the worker hands over is noted, but not acknowledged, while this is false. */
  isAcknowledging: boolean;
  isSuperseding: boolean;
  hand(items: readonly Assignment[]): void;
  stop(): Promise<void>;
}

export interface Heard {
  readonly beats: { readonly atMs: number; readonly beat: Beat }[];
  readonly polls: Poll[];
  readonly outcomes: Outcome[];
  readonly returns: ItemReturn[];
  readonly deregistrations: Deregistration[];
}

export const RUN_ID = '01J0000000000000000000TEST';
/** How often a waiting poll, or a stream, looks whether there is something to say. */
const LOOK_MS = 5;
/** Says at least that it is there, so that no worker takes a stream for dead. */
const PULSE_MS = 100;

export async function startFakeCoordinator(t: ExecutionContext, dir: string, port = 0): Promise<FakeCoordinator> {
  const tlsDir = join(dir, 'tls');
  await ensureDevCa(tlsDir, RUN_ID);
  const files = await issueCertificate(tlsDir, { role: 'coordinator', hosts: ['127.0.0.1'] });
  const core = new FakeCore();
  const server = await startServer({
    listen: `127.0.0.1:${port}`,
    credentials: serverCredentials(files, silentLog),
    runId: RUN_ID,
    clock: systemClock,
    log: silentLog,
    core: () => core,
    coordinatorInfo: () => ({ epoch: core.epoch, role: 'primary', primaryAddress: '' }),
  });
  core.address = server.address;
  core.stop = () => server.stop(100);
  t.teardown(() => core.stop());
  return core;
}

class FakeCore implements CoordinatorCore, FakeCoordinator {
  readonly heard: Heard = { beats: [], polls: [], outcomes: [], returns: [], deregistrations: [] };
  address = '';
  epoch = 0;
  order: Order = 'work';
  isAcknowledging = true;
  isSuperseding = false;
  readonly #queue: Assignment[] = [];
  readonly #acknowledged: ItemRef[] = [];
  #session: Session | null = null;
  #newest = 0;

  get port(): number {
    return Number(this.address.split(':').at(-1));
  }

  stop: () => Promise<void> = () => Promise.resolve();

  hand(items: readonly Assignment[]): void {
    this.#queue.push(...items);
  }

  drain(): DrainReply {
    return { state: 'unknown', workers: [] };
  }

  hint(): HintReply {
    return { workers: [] };
  }

  async beat(beat: Beat): Promise<BeatReply> {
    this.heard.beats.push({ atMs: performance.now(), beat });
    return { epoch: this.epoch, isSuperseded: this.isSuperseding };
  }

  beats(_worker: string, writer: StreamWriter<BeatReply>): StreamReceiver<Beat> {
    return {
      onMessage: (beat) => {
        this.beat(beat).then(
          (reply) => writer.send(reply, () => undefined),
          (cause: Error) => writer.fail(cause),
        );
      },
      gone: () => undefined,
    };
  }

  async poll(poll: Poll, signal: AbortSignal): Promise<PollReply> {
    this.heard.polls.push(poll);
    const session = this.#sessionOf(poll);
    if (session === null) return { status: 'hello-needed', epoch: this.epoch };
    this.#newest = poll.poll;
    this.#hear(session, poll);
    const endMs = performance.now() + poll.waitMs;
    while (!signal.aborted && this.#newest === poll.poll && performance.now() < endMs && !this.#hasSomething(session, poll))
      await sleep(LOOK_MS);
    return this.#reply(session, poll);
  }

  session(_worker: string, writer: SessionWriter): SessionReceiver {
    const gone = new AbortController();
    return {
      onMessage: (poll) => {
        this.heard.polls.push(poll);
        const session = this.#sessionOf(poll);
        if (session === null) return writer.send({ status: 'hello-needed', epoch: this.epoch }, () => undefined);
        this.#newest = poll.poll;
        session.newest = poll;
        this.#hear(session, poll);
        if (poll.hello === null) return;
        writer.send(this.#reply(session, poll), () => undefined);
        this.#push(session, writer, gone.signal).catch((cause: Error) => writer.fail(cause));
      },
      gone: () => gone.abort(),
    };
  }

  async #push(session: Session, writer: SessionWriter, signal: AbortSignal): Promise<void> {
    let saidMs = performance.now();
    while (!signal.aborted && this.#session === session) {
      await sleep(LOOK_MS);
      const hasNews = session.newest !== null && this.#hasSomething(session, { ...session.newest, isAwaiting: session.isUnderway });
      if (session.newest === null || signal.aborted || (!hasNews && performance.now() - saidMs < PULSE_MS)) continue;
      const reply = this.#reply(session, session.newest);
      session.isUnderway = session.sent !== null;
      session.newest = { ...session.newest, capacity: 0 };
      writer.send(reply, () => undefined);
      saidMs = performance.now();
    }
  }

  /** Null where the poll belongs to no session that is known. */
  #sessionOf(poll: Poll): Session | null {
    if (poll.hello !== null)
      this.#session = { boot: poll.bootNonce, number: poll.session, batches: 0, sent: null, newest: null, isUnderway: false, told: 'work' };
    const session = this.#session;
    return session?.boot === poll.bootNonce && session.number === poll.session ? session : null;
  }

  async deregister(deregistration: Deregistration): Promise<{ readonly epoch: number }> {
    this.heard.deregistrations.push(deregistration);
    return { epoch: this.epoch };
  }

  status(): never {
    throw new Error('no client asks this coordinator');
  }

  #hear(session: Session, poll: Poll): void {
    if (session.sent !== null && session.sent.batch <= poll.acknowledgedBatch) {
      session.sent = null;
      session.isUnderway = false;
    }
    this.heard.outcomes.push(...poll.outcomes);
    this.heard.returns.push(...poll.returns);
    if (this.isAcknowledging) this.#acknowledged.push(...[...poll.outcomes, ...poll.returns].map(plainRef));
  }

  #hasSomething(session: Session, poll: Poll): boolean {
    if (this.#acknowledged.length > 0 || this.order !== session.told) return true;
    return session.sent === null ? this.#queue.length > 0 && poll.capacity > 0 : !poll.isAwaiting;
  }

  #reply(session: Session, poll: Poll): PollReply {
    const empty = ok({ epoch: this.epoch, order: this.order });
    if (this.#newest !== poll.poll) return empty;
    session.told = this.order;
    if (session.sent === null) {
      const assignments = this.#queue.splice(0, poll.capacity);
      if (assignments.length > 0) session.sent = { batch: ++session.batches, assignments };
    }
    return { ...empty, ...session.sent, acknowledged: this.#acknowledged.splice(0) };
  }
}

interface Session {
  readonly boot: string;
  readonly number: number;
  batches: number;
  /** Of a stream: the last message, and whether the batch has been said there. */
  newest: Poll | null;
  isUnderway: boolean;
  told: Order;
  sent: { readonly batch: number; readonly assignments: readonly Assignment[] } | null;
}

export function assignments(count: number, from = 0): Assignment[] {
  return Array.from({ length: count }, (_, n) => assignment(from + n));
}

export function keysOf(refs: readonly ItemRef[]): string[] {
  return [...new Set(refs.map(refKey))].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
}
