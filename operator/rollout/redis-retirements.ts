import type { Clock } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, SECRET } from '../kube/kind.ts';
import { refOf } from '../kube/object.ts';
import { isBeingDeleted } from './ending-namespace.ts';
import { copiedFrom, type FormerKeys } from './former-records.ts';
import { copyText, keptText } from './kept-text.ts';
import { loginOf, type RedisLogin } from './redis-login.ts';
import type { RedisSecrets } from './redis-secrets.ts';
import { runIdOf } from './run-id.ts';

/** How far the retirement of a run has come. */
export type Retirement = { readonly kind: 'pending' | 'retired' } | { readonly kind: 'kept'; readonly message: string };

export interface RetirementDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly secrets: Pick<RedisSecrets, 'remembered'>;
  /** Retires a run on its server, unless a coordinator holds its lease. */
  readonly retire: (login: RedisLogin, runId: string) => Promise<'retired' | 'held'>;
  readonly clock: Clock;
  readonly log: Log;
}

interface State {
  readonly firstMs: number;
  isTrying: boolean;
  /** Of the last try; minus infinity before the first. */
  endedMs: number;
  /** Null: it is done. */
  trouble: string | null;
  /** Null: not known yet. */
  url: string | null;
  /** The namespace of the run, where the record is a copy in another one: it is never retired for that. */
  copyOf: string | null;
  /** Its namespace is being deleted, and waits for this. */
  isInEndingNamespace: boolean;
}

/** A try may begin this long after the first one: nobody waits for it, and a server that restarts is mostly back by then. */
const TRY_MS = 600_000;
/**
 * A namespace is to be gone in a minute. Its pods take half of that, and its controller looks again some seconds after its last object. Longer
 * than a lease (5 s) and RETRY_MS together: one that is held at the first try has run out at the last.
 */
const NAMESPACE_TRY_MS = 8_000;
const ATTEMPT_MS = 5_000;
const RETRY_MS = 2_000;
/** Each is a connection: hundreds of runs that are deleted at once take turns. */
const MOST_AT_ONCE = 64;
const BUG = 'a try to retire a run ended by a bug of the operator';
/** The coordinator of a deleted run releases its lease, or loses it in seconds. One that keeps it works on a run that was not deleted. */
const HELD = 'a coordinator works on it and holds its lease';

/** Retires runs that are gone, in the background: no look at a run waits for a server. */
export class RedisRetirements {
  readonly #deps: RetirementDeps;
  /** By the namespace of the record, which a copy has for itself, and the uid of the run. */
  readonly #states = new Map<string, State>();
  #trying = 0;

  constructor(deps: RetirementDeps) {
    this.#deps = deps;
  }

  has(former: FormerKeys): boolean {
    return this.#states.has(keyOf(former));
  }

  /** Begins a try where none is under way and it is time for one. */
  look(former: FormerKeys): Retirement {
    const { clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const state = this.#states.get(keyOf(former)) ?? this.#begun(former, nowMs);
    if (state.isTrying) return { kind: 'pending' };
    if (state.trouble === null) return { kind: 'retired' };
    if (state.copyOf !== null) return { kind: 'kept', message: copyText(runIdOf(former.runUid), state.copyOf) };
    const isLate = nowMs - state.firstMs >= (state.isInEndingNamespace ? NAMESPACE_TRY_MS : TRY_MS);
    if (isLate) return { kind: 'kept', message: keptText(runIdOf(former.runUid), state.url, state.trouble) };
    const isDue = nowMs - state.endedMs >= RETRY_MS;
    if (isDue && this.#trying < MOST_AT_ONCE) this.#try(former, state).catch((err: unknown) => this.#deps.log.error({ err }, BUG));
    return { kind: 'pending' };
  }

  forget(former: FormerKeys): void {
    this.#states.delete(keyOf(former));
  }

  #begun(former: FormerKeys, nowMs: number): State {
    const state = {
      ...{ firstMs: nowMs, isTrying: false, endedMs: Number.NEGATIVE_INFINITY },
      ...{ trouble: 'it was not its turn yet', url: null, copyOf: null, isInEndingNamespace: false },
    };
    this.#states.set(keyOf(former), state);
    return state;
  }

  /** Never rejects. */
  async #try(former: FormerKeys, state: State): Promise<void> {
    const { clock, log } = this.#deps;
    const { namespace, runName: run } = former;
    state.isTrying = true;
    this.#trying += 1;
    try {
      const tried = this.#retire(former, state);
      state.trouble = (await inTime(clock, ATTEMPT_MS, tried)) ? await tried : `no answer within ${ATTEMPT_MS / 1_000} s`;
    } catch (error) {
      state.trouble = (error as Error).message;
    }
    if (state.trouble === null) log.info({ namespace, run }, 'a run that was deleted is retired: its keys expire');
    else
      log[state.trouble === HELD ? 'info' : 'warn']({ namespace, run, why: state.trouble }, 'a run that was deleted could not be retired');
    if (state.trouble !== null) state.isInEndingNamespace = await this.#isNamespaceEnding(namespace);
    state.endedMs = clock.monotonicMs();
    this.#trying -= 1;
    state.isTrying = false;
  }

  /** Where nobody can say, there is no haste. */
  async #isNamespaceEnding(namespace: string): Promise<boolean> {
    return isBeingDeleted(this.#deps.client, namespace).catch(() => false);
  }

  /** Why it is not retired; null: it is. */
  async #retire({ record, namespace, runUid }: FormerKeys, state: State): Promise<string | null> {
    const { client, secrets, retire } = this.#deps;
    const found = (await client.get(CONFIG_MAP, refOf(record))) ?? record;
    const { url, namespace: home, secret: name } = found.data ?? {};
    if (url === undefined || home === undefined) throw new Error(`the ConfigMap ${record.metadata.name} does not say where they are`);
    state.url = url;
    state.copyOf = copiedFrom(found);
    if (state.copyOf !== null) return 'its record is a copy';
    // With a namespace its Secrets go first.
    const secret = name === undefined ? null : ((await client.get(SECRET, { namespace, name })) ?? secrets.remembered(runUid));
    return (await retire(loginOf(url, secret), runIdOf(runUid))) === 'held' ? HELD : null;
  }
}

function keyOf({ namespace, runUid }: FormerKeys): string {
  return `${namespace}/${runUid}`;
}
