import type { Clock } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, SECRET } from '../kube/kind.ts';
import { refOf } from '../kube/object.ts';
import { type FormerKeys, keptText } from './former-records.ts';
import { loginOf, type RedisLogin } from './redis-login.ts';
import type { RedisSecrets } from './redis-secrets.ts';
import { runIdOf } from './run-id.ts';

/** How far the retirement of a run has come. */
export type Retirement = { readonly kind: 'pending' | 'retired' } | { readonly kind: 'kept'; readonly message: string };

export interface RetirementDeps {
  readonly client: Pick<KubeClient, 'get'>;
  readonly secrets: Pick<RedisSecrets, 'remembered'>;
  /** Retires a run on its server. */
  readonly retire: (login: RedisLogin, runId: string) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

interface State {
  readonly firstMs: number;
  isTrying: boolean;
  endedMs: number;
  /** Null: it is done. */
  trouble: string | null;
  url: string;
  /** Its namespace is being deleted, and waits for this. */
  isHurried: boolean;
}

/** A try may begin this long after the first one: nobody waits for it, and a server that restarts is mostly back by then. */
const TRY_MS = 600_000;
/** A namespace is to be gone in a minute. Its pods take half of that, and its controller looks again some seconds after its last object. */
const HURRIED_TRY_MS = 8_000;
const ATTEMPT_MS = 5_000;
const RETRY_MS = 2_000;
/** Each is a connection: hundreds of runs that are deleted at once take turns. */
const MOST_AT_ONCE = 64;
const BUG = 'a try to retire a run ended by a bug of the operator';
/** Each namespace has it for as long as it is not being deleted. */
const OF_EACH_NAMESPACE = 'kube-root-ca.crt';

/** Retires runs that are gone, in the background: no look at a run waits for a server. */
export class RedisRetirements {
  readonly #deps: RetirementDeps;
  /** By the uid of the run. */
  readonly #states = new Map<string, State>();
  #trying = 0;

  constructor(deps: RetirementDeps) {
    this.#deps = deps;
  }

  has(runUid: string): boolean {
    return this.#states.has(runUid);
  }

  /** Begins a try where none is under way and it is time for one. */
  look(former: FormerKeys): Retirement {
    const { clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const state = this.#states.get(former.runUid) ?? this.#begun(former.runUid, nowMs);
    if (state.isTrying) return { kind: 'pending' };
    if (state.trouble === null) return { kind: 'retired' };
    const hasTried = state.endedMs >= state.firstMs;
    const isLate = nowMs - state.firstMs >= (state.isHurried ? HURRIED_TRY_MS : TRY_MS);
    if (isLate) return { kind: 'kept', message: keptText(runIdOf(former.runUid), state.url, state.trouble) };
    const isDue = !hasTried || nowMs - state.endedMs >= RETRY_MS;
    if (isDue && this.#trying < MOST_AT_ONCE) this.#try(former, state).catch((err: unknown) => this.#deps.log.error({ err }, BUG));
    return { kind: 'pending' };
  }

  forget(runUid: string): void {
    this.#states.delete(runUid);
  }

  #begun(runUid: string, nowMs: number): State {
    const state = {
      ...{ firstMs: nowMs, isTrying: false, endedMs: Number.NEGATIVE_INFINITY },
      ...{ trouble: 'it was not its turn yet', url: 'Redis', isHurried: false },
    };
    this.#states.set(runUid, state);
    return state;
  }

  /** Never rejects. */
  async #try(former: FormerKeys, state: State): Promise<void> {
    const { clock, log } = this.#deps;
    const { namespace, runName: run } = former;
    state.isTrying = true;
    this.#trying += 1;
    try {
      const isInTime = await inTime(clock, ATTEMPT_MS, this.#retire(former, state));
      state.trouble = isInTime ? null : `no answer within ${ATTEMPT_MS / 1_000} s`;
    } catch (error) {
      state.trouble = (error as Error).message;
    }
    if (state.trouble === null) log.info({ namespace, run }, 'a run that was deleted is retired: its keys expire');
    else log.warn({ namespace, run, why: state.trouble }, 'a run that was deleted could not be retired');
    if (state.trouble !== null) state.isHurried = await this.#isNamespaceEnding(namespace);
    state.endedMs = clock.monotonicMs();
    this.#trying -= 1;
    state.isTrying = false;
  }

  /** Where nobody can say, there is no haste. */
  async #isNamespaceEnding(namespace: string): Promise<boolean> {
    const ref = { namespace, name: OF_EACH_NAMESPACE };
    return this.#deps.client.get(CONFIG_MAP, ref).then(
      (found) => found === null || found.metadata.deletionTimestamp !== undefined,
      () => false,
    );
  }

  async #retire({ record, namespace, runUid }: FormerKeys, state: State): Promise<void> {
    const { client, secrets, retire } = this.#deps;
    const { data: { url, secret: name } = {} } = (await client.get(CONFIG_MAP, refOf(record))) ?? {};
    if (url === undefined) throw new Error(`the ConfigMap ${record.metadata.name} does not say where they are`);
    state.url = url;
    // With a namespace its Secrets go first.
    const secret = name === undefined ? null : ((await client.get(SECRET, { namespace, name })) ?? secrets.remembered(runUid));
    await retire(loginOf(url, secret), runIdOf(runUid));
  }
}
