import type { Clock } from '../../runtime/base/clock.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';

const LONGEST_CALL_MS = 4;

/** A ledger whose calls take time, one after the other in the order in which they were made. */
export function createSlowLedger(inner: Ledger, random: Random, clock: Clock): Ledger {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (run: () => unknown): Promise<unknown> => {
    const call = last.then(async () => {
      await clock.sleep(random.next() * LONGEST_CALL_MS);
      return run();
    });
    last = call.catch(() => undefined);
    return call;
  };
  return new Proxy(inner, {
    get: (target, verb: keyof Ledger) => {
      const run = target[verb] as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]) => inTurn(() => Reflect.apply(run, target, args));
    },
  });
}
