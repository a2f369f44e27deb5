import test from 'ava';
import { NoAnswer } from '../../../../operator/kube/api-error.ts';
import { type Random, seededRandom } from '../../../../runtime/base/random.ts';
import { type Candidate, candidate, LeaseEdge, leaders } from '../../../support/lease-edge.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const SEEDS = 60;
const SECONDS = 120;
const MEMBERS = 3;

/** Three processes that want to lead, over a lease whose calls fail, come late, or are carried out without an answer. */
class World {
  readonly clock: ManualClock = new ManualClock();
  readonly members: Candidate[];
  isCalm = false;
  readonly #edge = new LeaseEdge(this.clock);
  readonly #random: Random;
  #joined = 0;

  constructor(seed: number) {
    this.#random = seededRandom(seed);
    this.members = Array.from({ length: MEMBERS }, () => this.#join());
  }

  async second(): Promise<void> {
    await this.clock.advance(1_000);
    // A process that has lost the lead ends, and another one comes.
    for (const [place, one] of this.members.entries()) {
      if (one.leading()?.lost.aborted === true) this.members[place] = this.#join();
    }
  }

  /** Now and then the leader gives the role away. */
  async maybeRelease(): Promise<void> {
    if (this.#random.next() > 0.03) return;
    const leader = this.members.findIndex((one) => leaders([one]) === 1);
    if (leader < 0) return;
    const released = this.members[leader]?.leading()?.release();
    await this.clock.advance(6_000);
    await released;
    this.members[leader] = this.#join();
  }

  end(): void {
    for (const one of this.members) one.stop.abort();
  }

  #join(): Candidate {
    this.#joined += 1;
    const trouble = (): Promise<void> => this.#trouble();
    return candidate(`process-${this.#joined}`, this.clock, this.#edge.client({ before: trouble, after: trouble }));
  }

  async #trouble(): Promise<void> {
    if (this.isCalm) return;
    if (this.#random.next() < 0.2) throw new NoAnswer('reset');
    if (this.#random.next() < 0.3) await this.clock.sleep(this.#random.next() * 14_000);
  }
}

test('never two leaders, whatever calls fail, come late, or are carried out without an answer; one, once they do not', async (t) => {
  let ledSeconds = 0;
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const world = new World(seed);
    for (let at = 0; at < SECONDS; at += 1) {
      await world.second();
      const held = leaders(world.members);
      if (held > 1) return t.fail(`seed ${seed}: ${held} leaders after ${at} s`);
      ledSeconds += held;
      await world.maybeRelease();
    }
    world.isCalm = true;
    for (let at = 0; at < 60 && leaders(world.members) === 0; at += 1) await world.second();
    t.is(leaders(world.members), 1, `seed ${seed}`);
    world.end();
  }
  t.true(ledSeconds > (SEEDS * SECONDS) / 4, `somebody led for ${ledSeconds} s in all`);
});
