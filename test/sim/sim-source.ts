import type { Clock } from '../../runtime/base/clock.ts';
import type { IndexSummary } from '../../runtime/input/index/index-summary.ts';
import type { Indexing } from '../../runtime/input/index/indexer.ts';
import type { InputReader } from '../../runtime/input/index/reader.ts';
import { streamOf, type WorldPlan } from './swarm.ts';

/** How many items a survey looks at, so that there are several. */
const SURVEYED = 13;
const LOOK_MS = 20;
/** Nobody here looks at what the files are. */
const SUMMARY: Omit<IndexSummary, 'items'> = {
  size: 0,
  mtimeMs: 0,
  invalid: 0,
  kinds: [],
  blankLines: 0,
  streamed: 0,
  sha256: '',
  hashedBytes: 0,
};

/** Which items are bad lines; the same in every run of a seed. */
export function invalidItems({ seed, items, invalidShare }: WorldPlan): ReadonlySet<number> {
  const random = streamOf(seed, 'bad lines');
  return new Set(Array.from({ length: items }, (_, index) => index).filter(() => random.next() < invalidShare));
}

/** Which items kill their worker: the first valid ones. */
export function poisonedItems(plan: WorldPlan): ReadonlySet<number> {
  const invalid = invalidItems(plan);
  const valid = Array.from({ length: plan.items }, (_, index) => index).filter((index) => !invalid.has(index));
  return new Set(valid.slice(0, plan.poisoned));
}

/** What the real source reads (perform/source.ts). */
export function simInput(plan: WorldPlan, clock: Clock, indexing: Pick<Indexing, 'isComplete'>, onReadEarly: () => void): SimInput {
  const reader = simReader(plan, clock);
  const lines: typeof reader.lines = (indexes, maxBytes) => {
    if (!indexing.isComplete()) onReadEarly();
    return reader.lines(indexes, maxBytes);
  };
  return { ...reader, lines };
}

type SimInput = Pick<InputReader, 'lines' | 'invalidReason' | 'survey' | 'close'>;

/** An index that grows with the time of its process, from the beginning at each start (indexer.ts). */
export class SimIndexing implements Indexing {
  readonly done: Promise<IndexSummary>;
  readonly #plan: WorldPlan;
  readonly #clock: Clock;
  readonly #beganMs: number;

  constructor(plan: WorldPlan, clock: Clock) {
    this.#plan = plan;
    this.#clock = clock;
    this.#beganMs = clock.monotonicMs();
    this.done = this.waitFor(plan.items).then(() => ({ ...SUMMARY, items: plan.items }));
  }

  async stop(): Promise<void> {
    // Nothing has to be let go of.
  }

  count(): number {
    const { items, indexingMs } = this.#plan;
    const passedMs = this.#clock.monotonicMs() - this.#beganMs;
    return indexingMs === 0 ? items : Math.min(items, Math.floor((items * passedMs) / indexingMs));
  }

  isComplete(): boolean {
    return this.count() === this.#plan.items;
  }

  async waitFor(count: number): Promise<void> {
    while (this.count() < count && !this.isComplete()) await this.#clock.sleep(LOOK_MS);
  }
}

function simReader(plan: WorldPlan, clock: Clock): SimInput {
  const invalid = [...invalidItems(plan)].toSorted((a, b) => a - b);
  return {
    lines: async (indexes, maxBytes = Number.POSITIVE_INFINITY) => {
      await clock.sleep(1);
      const lines = indexes.map((index) => ({ index, line: lineOf(index, plan.lineBytes), lineNumber: index + 1 }));
      let bytes = 0;
      const end = lines.findIndex(({ line }, at) => {
        bytes += line.length;
        return at > 0 && bytes > maxBytes;
      });
      return end < 0 ? lines : lines.slice(0, end);
    },
    invalidReason: async (index) => ({ code: 'invalid_json', message: 'not JSON', customId: null, lineNumber: index + 1 }),
    survey: async (from, count) => {
      await clock.sleep(1);
      const upTo = Math.min(plan.items, from + Math.min(count, SURVEYED));
      return { upTo, invalid: invalid.filter((index) => index >= from && index < upTo) };
    },
    close: async () => undefined,
  };
}

function lineOf(index: number, bytes: number): Uint8Array {
  const prompt = bytes === 0 ? String(index) : `"${'x'.repeat(bytes)}"`;
  return Buffer.from(`{"custom_id":"i${index}","method":"POST","url":"/v1/completions","body":{"prompt":${prompt}}}`);
}
