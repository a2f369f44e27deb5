import type { Clock, Timer } from '../../base/clock.ts';
import type { Epoch } from '../../model/row.ts';
import type { BeatReply, WorkerState } from '../../model/session.ts';
import { beatsPerAnswer } from '../../model/timing.ts';
import type { Link } from '../session/link.ts';
import type { FromHeartbeatThread, HeartbeatSettings } from './heartbeat-messages.ts';

export interface BeatSenderDeps {
  readonly settings: Pick<
    HeartbeatSettings,
    'workerId' | 'bootNonce' | 'concurrency' | 'pid' | 'node' | 'heartbeatIntervalMs' | 'highestEpoch'
  >;
  readonly link: Link;
  readonly clock: Clock;
  /** How far the main loop lags behind, as a beat tells it. */
  readonly loopLagMs: () => number;
  readonly onAnswered: (beat: Omit<FromHeartbeatThread, 'kind'>) => void;
  /** A coordinator of an older epoch than one that was seen has answered; it is left. */
  readonly onOutdated: (epoch: Epoch, highestEpoch: Epoch) => void;
  readonly onFailure: (cause: unknown) => void;
}

/** A beat may take so many intervals, at most half of the self-fence timeout: enough for a busy coordinator, and the end of one that hangs. */
const DEADLINE_INTERVALS = 4;

/** Sends the beats (W3), finds a successor where they are not answered, and decides nothing: every answer is handed on. */
export class BeatSender {
  readonly #deps: BeatSenderDeps;
  #timer: Timer;
  #intervalMs: number;
  #deadlineMs: number;
  readonly #underWay = new Set<Promise<void>>();
  /** Of so many beats one asks: each of them, until a coordinator has answered. */
  #perAnswer = 1;
  /** Since the last one that asked. */
  #unasked = 0;
  #state: WorkerState = 'init';
  #detail = '';
  #highestEpoch: Epoch;
  #isMoving = false;
  #isStopped = false;

  /** Beats from now on; the first beat is sent at once. */
  constructor(deps: BeatSenderDeps) {
    this.#deps = deps;
    this.#highestEpoch = deps.settings.highestEpoch;
    this.#intervalMs = deps.settings.heartbeatIntervalMs;
    this.#deadlineMs = this.#intervalMs * DEADLINE_INTERVALS;
    this.#timer = this.#every();
    this.#beat();
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Said in a beat at once. */
  say(state: WorkerState, detail: string): void {
    this.#state = state;
    this.#detail = detail;
    this.#beat();
  }

  /** A later epoch than the beats have heard of: their coordinator is dead or deposed, or its next answer says the same. It is asked at once. */
  tellEpoch(epoch: Epoch): void {
    if (epoch <= this.#highestEpoch) return;
    this.#highestEpoch = epoch;
    this.#beat(true);
  }

  /**
   * Says no more; resolves when no beat is under way, since one that came after the deregistration would register the worker again (L36).
   * The answer to a last beat tells that those before it have arrived, where they asked for none.
   */
  async stop(): Promise<void> {
    if (this.#unasked > 0) this.#beat(true);
    this.#isStopped = true;
    this.#timer.stop();
    await Promise.allSettled(this.#underWay);
  }

  #every(): Timer {
    return this.#deps.clock.every(this.#intervalMs, () => this.#beat());
  }

  /** The coordinator's interval applies: its failure rule would fail a worker that beats less often (C12). */
  #adopt(timing: NonNullable<BeatReply['timing']>): void {
    const intervalMs = timing.heartbeatIntervalMs;
    this.#perAnswer = beatsPerAnswer(timing);
    this.#deadlineMs = Math.min(intervalMs * DEADLINE_INTERVALS, timing.workerSelfFenceTimeoutMs / 2);
    if (intervalMs === this.#intervalMs || this.#isStopped) return;
    this.#timer.stop();
    this.#intervalMs = intervalMs;
    this.#timer = this.#every();
  }

  /** Beats do not wait for one another: one that hangs ends by its deadline, and only then is another coordinator looked for. */
  #beat(mustAsk = false): void {
    if (this.#isStopped || this.#isMoving) return;
    const isAsking = mustAsk || this.#unasked + 1 >= this.#perAnswer;
    this.#unasked = isAsking ? 0 : this.#unasked + 1;
    const one = this.#beatOnce(isAsking);
    this.#underWay.add(one);
    one.finally(() => this.#underWay.delete(one)).catch(this.#deps.onFailure);
  }

  async #beatOnce(isAsking: boolean): Promise<void> {
    const { settings, link, clock, onAnswered } = this.#deps;
    const { workerId, bootNonce, concurrency, pid, node } = settings;
    const beat = { workerId, bootNonce, concurrency, pid, node, state: this.#state, detail: this.#detail, isAsking };
    const [loopLagMs, highestEpoch] = [this.#deps.loopLagMs(), this.#highestEpoch];
    const called = await link.call((client) => client.beat({ ...beat, loopLagMs, highestEpoch }, this.#deadlineMs));
    if (called.kind === 'left') return;
    if (called.kind === 'failed') return this.#moveOn();
    if (called.reply === null) return;
    if (called.reply.epoch < this.#highestEpoch) {
      this.#deps.onOutdated(called.reply.epoch, this.#highestEpoch);
      return this.#moveOn();
    }
    this.#highestEpoch = called.reply.epoch;
    if (called.reply.timing !== undefined) this.#adopt(called.reply.timing);
    onAnswered({ ...called.reply, receivedMs: clock.monotonicMs() });
  }

  #moveOn(): void {
    if (this.#isMoving || this.#isStopped) return;
    this.#isMoving = true;
    [this.#perAnswer, this.#unasked] = [1, 0];
    const moved = this.#deps.link.move().then(() => {
      this.#isMoving = false;
      this.#beat();
    });
    moved.catch(this.#deps.onFailure);
  }
}
