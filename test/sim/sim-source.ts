import type { Clock } from '../../runtime/base/clock.ts';
import type { Source } from '../../runtime/coordinator/source.ts';
import { streamOf, type WorldPlan } from './swarm.ts';

/** How many items a survey looks at, so that there are several. */
const SURVEYED = 13;

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

/** The input as if it had been indexed long ago. */
export function createSimSource(plan: WorldPlan, clock: Clock): Source {
  const invalid = [...invalidItems(plan)].toSorted((a, b) => a - b);
  return {
    lines: async (indexes) => {
      await clock.sleep(1);
      return indexes.map((index) => ({ index, line: lineOf(index), lineNumber: index + 1 }));
    },
    invalidReason: async (index) => ({ code: 'invalid_json', message: 'not JSON', customId: null, lineNumber: index + 1 }),
    survey: async (from, count) => {
      await clock.sleep(1);
      const upTo = Math.min(plan.items, from + Math.min(count, SURVEYED));
      return { upTo, invalid: invalid.filter((index) => index >= from && index < upTo) };
    },
    indexed: () => ({ count: plan.items, items: plan.items }),
  };
}

function lineOf(index: number): Uint8Array {
  return Buffer.from(`{"custom_id":"i${index}","method":"POST","url":"/v1/completions","body":{"prompt":${index}}}`);
}
