import type { Clock } from '../../runtime/base/clock.ts';
import type { RunStatus } from '../../runtime/model/status.ts';
import { createRunClient, type RunClient } from '../../runtime/rpc/client.ts';
import { clientCredentialsOf } from '../../runtime/rpc/tls.ts';
import type { Pem } from '../../runtime/tls/pair.ts';
import { type CoordinatorAnswer, freshAnswer } from './coordinator-view.ts';
import { nextRate, type RateSample } from './rate.ts';
import { afterTelling, inEpoch, NOTHING_TOLD, newsOf, type ToldWords, type Word } from './told-words.ts';

/** Where a run's coordinators are, and how they know this client. */
export interface RunTarget {
  /** uid of the run. */
  readonly uid: string;
  readonly runId: string;
  readonly pem: Pem;
  readonly pods: readonly { readonly name: string; readonly address: string }[];
}

/** Why the primary did not do what it was asked. */
export type Told =
  | { readonly kind: 'done' }
  | { readonly kind: 'unanswered'; readonly detail: string }
  /** It was not asked: it has answered nothing lately, and so short a time ago that the next look may reach it. */
  | { readonly kind: 'silent' };

interface Connection {
  readonly address: string;
  readonly cert: string;
  readonly client: RunClient;
  /** The question that is under way; null where none is. */
  question: Promise<void> | null;
  /** The last call got no answer. */
  isSilent: boolean;
}

/**
 * How long a look waits for a coordinator that did not answer the look before. An answer that comes later is there for the next one. The
 * coordinators of a node that is gone are silent together, and other runs wait little for them.
 */
const SILENT_WAIT_MS = 200;

interface RunMemory {
  readonly connections: Map<string, Connection>;
  answer: CoordinatorAnswer | null;
  sample: RateSample | null;
  told: ToldWords;
}

/** Asks the coordinators of runs over mutual TLS. A connection to each pod is kept, and what the primary answered last. */
export class RunClients {
  readonly #clock: Clock;
  readonly #runs = new Map<string, RunMemory>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The last answer; a new one where a coordinator answers now. Null before the first. */
  async ask(target: RunTarget): Promise<CoordinatorAnswer | null> {
    const memory = this.#memoryOf(target.uid);
    this.#connect(memory, target);
    await Promise.all(
      [...memory.connections].map(async ([pod, one]) => {
        const { isSilent } = one;
        one.question ??= this.#question(memory, pod, one);
        await (isSilent ? Promise.race([one.question, this.#clock.sleep(SILENT_WAIT_MS)]) : one.question);
      }),
    );
    return memory.answer;
  }

  /** Tells a worker to hand back and leave. Told again, it changes nothing. */
  async drain(uid: string, worker: string, deadlineMs: number | null, reason: string): Promise<Told> {
    return this.#tell(uid, async (client) => client.drain({ workerId: worker, bootNonce: '', deadlineMs, reason }));
  }

  /** Tells what is news to the coordinator. `words`: of each worker of the run, and of each node that has one. */
  async tellWords(uid: string, words: readonly Word[]): Promise<void> {
    const memory = this.#memoryOf(uid);
    memory.told = inEpoch(memory.told, memory.answer?.status.epoch ?? null);
    for (const one of newsOf(memory.told, words)) {
      const { kind } = await this.#tell(uid, async (client) => client.hint(one.word));
      if (kind !== 'done') return;
      memory.told = afterTelling(memory.told, one);
    }
  }

  forget(uid: string): void {
    for (const { client } of this.#runs.get(uid)?.connections.values() ?? []) client.close();
    this.#runs.delete(uid);
  }

  close(): void {
    for (const uid of [...this.#runs.keys()]) this.forget(uid);
  }

  async #tell(uid: string, tell: (client: RunClient) => Promise<{ readonly kind: string; readonly detail?: string }>): Promise<Told> {
    const memory = this.#memoryOf(uid);
    const connection = memory.connections.get(memory.answer?.pod ?? '');
    if (connection === undefined) return { kind: 'unanswered', detail: 'no coordinator is known' };
    if (connection.isSilent) {
      const isFresh = freshAnswer(memory.answer, this.#clock.wallMs()) !== null;
      return isFresh ? { kind: 'silent' } : { kind: 'unanswered', detail: 'the coordinator does not answer' };
    }
    const answered = await tell(connection.client);
    connection.isSilent = answered.kind === 'unreachable';
    return answered.kind === 'reply' ? { kind: 'done' } : { kind: 'unanswered', detail: answered.detail ?? answered.kind };
  }

  async #question(memory: RunMemory, pod: string, connection: Connection): Promise<void> {
    const { address, client } = connection;
    const answered = await client.status();
    connection.question = null;
    connection.isSilent = answered.kind === 'unreachable';
    if (answered.kind !== 'reply' || memory.connections.get(pod) !== connection) return;
    if (!isDeposed(memory, pod, answered.reply)) this.#keep(memory, { pod, address, status: answered.reply });
  }

  #memoryOf(uid: string): RunMemory {
    const found = this.#runs.get(uid) ?? { connections: new Map<string, Connection>(), answer: null, sample: null, told: NOTHING_TOLD };
    this.#runs.set(uid, found);
    return found;
  }

  /** A pod that has moved, or a certificate that was renewed, gets a new connection. */
  #connect({ connections }: RunMemory, { runId, pem, pods }: RunTarget): void {
    const cert = pem.cert.toString('latin1');
    const addresses = new Map(pods.map(({ name, address }) => [name, address]));
    for (const [pod, one] of connections) {
      if (addresses.get(pod) === one.address && one.cert === cert) continue;
      one.client.close();
      connections.delete(pod);
    }
    for (const { name, address } of pods) {
      if (connections.has(name)) continue;
      const client = createRunClient({ address, credentials: clientCredentialsOf(pem, runId), clock: this.#clock });
      connections.set(name, { address, cert, client, question: null, isSilent: false });
    }
  }

  #keep(memory: RunMemory, { pod, address, status }: { readonly pod: string; readonly address: string; readonly status: RunStatus }): void {
    memory.sample = nextRate(memory.sample, status.done + status.failed, this.#clock.monotonicMs());
    memory.answer = { status, pod, address, atMs: this.#clock.wallMs(), perSecond: memory.sample.perSecond };
  }
}

/** It has been the primary, and has not heard yet of the one that has answered already. */
function isDeposed({ answer, connections }: RunMemory, pod: string, { epoch }: RunStatus): boolean {
  return answer !== null && answer.pod !== pod && connections.has(answer.pod) && epoch < answer.status.epoch;
}
