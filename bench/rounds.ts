import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Measurement, Part, Round, Run, Subject } from './contract.ts';
import { writeItems } from './items.ts';
import { BATCHED, LINE_BYTES, runList } from './peers.ts';
import type { Sizes } from './sizes.ts';

/** Goes through all parts once a round, so that what a machine does meanwhile hits all of them alike. */
export class Rounds {
  readonly #dir: string = mkdtempSync(join(tmpdir(), 'rollout-bench-'));
  readonly #sizes: Sizes;
  readonly #measured: Map<string, (readonly Measurement[])[]> = new Map();
  #startUps: Map<Subject, Promise<Run>> = new Map();

  constructor(sizes: Sizes) {
    this.#sizes = sizes;
  }

  async run(
    parts: readonly Part[],
    rounds: number,
    say: (line: string) => void,
  ): Promise<ReadonlyMap<string, readonly (readonly Measurement[])[]>> {
    for (let round = 1; round <= rounds; round += 1) {
      this.#startUps = new Map();
      for (const part of parts.filter(({ mostRounds }) => round <= mostRounds)) {
        say(`round ${round} of ${rounds}: ${part.name}`);
        const measurements = await this.#measure(part);
        for (const one of measurements) say(`  ${describe(one)}`);
        this.#measured.set(part.name, [...(this.#measured.get(part.name) ?? []), measurements]);
      }
    }
    return this.#measured;
  }

  clean(): void {
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }

  async #measure(part: Part): Promise<readonly Measurement[]> {
    const dirs: string[] = [];
    const newDir = (): string => {
      const dir = mkdtempSync(join(this.#dir, `${part.name}-`));
      dirs.push(dir);
      return dir;
    };
    const round: Round = {
      sizes: this.#sizes,
      newDir,
      input: (items, lineBytes) => this.#input(items, lineBytes),
      startUp: (subject) => this.#startUp(subject, round),
    };
    const measurements = await part.measure(round);
    for (const dir of dirs) rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
    return measurements;
  }

  #input(items: number, lineBytes: number): string {
    const path = join(this.#dir, `${items}-items-of-${lineBytes}.jsonl`);
    if (!existsSync(path)) writeItems(path, items, lineBytes);
    return path;
  }

  #startUp(subject: Subject, round: Round): Promise<Run> {
    const before = this.#startUps.get(subject);
    if (before !== undefined) return before;
    const run = lesserOfTwo(() => runList(subject, round, { items: 1, lineBytes: LINE_BYTES, inFlight: BATCHED }));
    this.#startUps.set(subject, run);
    return run;
  }
}

/** One that waits for something by chance, as BullMQ did for half a minute, would be taken off the time of every list. */
async function lesserOfTwo(measure: () => Promise<Run>): Promise<Run> {
  const [first, second] = [await measure(), await measure()];
  return first.seconds <= second.seconds ? first : second;
}

function describe({ subject, load, figures, foreignCores }: Measurement): string {
  const values = Object.entries(figures).map(([name, value]) => `${name} ${value.toPrecision(4)}`);
  return `${load}: ${subject} ${values.join(', ')}; ${foreignCores.toFixed(2)} cores used by others`;
}
