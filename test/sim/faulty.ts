import type { Clock } from '../../runtime/base/clock.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';

/** A ledger whose verbs take time and, by chance, throw before or after they have done their work. Order of calls is kept. */
export function faultyLedger(inner: Ledger, random: Random, clock: Clock, probability: () => number): Ledger {
  let queue: Promise<unknown> = Promise.resolve();
  const wrap = <A extends readonly unknown[], R>(verb: (...args: A) => Promise<R>) => {
    return (...args: A): Promise<R> => {
      const call = queue.then(async () => {
        await clock.sleep(random.next() * 4);
        if (random.next() < probability()) throw new Error('failed before');
        const reply = await verb(...args);
        if (random.next() < probability()) throw new Error('did it, then failed');
        return reply;
      });
      queue = call.catch(() => undefined);
      return call;
    };
  };
  return {
    ...inner,
    claim: wrap(inner.claim),
    settle: wrap(inner.settle),
    handBack: wrap(inner.handBack),
    look: wrap(inner.look),
    register: wrap(inner.register),
    forget: wrap(inner.forget),
    pause: wrap(inner.pause),
    finish: wrap(inner.finish),
  };
}
