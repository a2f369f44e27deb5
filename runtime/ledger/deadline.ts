import type { Clock } from '../base/clock.ts';
import { inTime } from '../base/in-time.ts';
import { CallFailed } from './call-failed.ts';
import type { Ledger } from './contract.ts';

/** A call that never ends would stop its caller for ever. A commit takes milliseconds, and a slow disk or a restart of the store some seconds. */
export const CALL_LIMIT_MS = 10_000;
/** Lets go of files and connections; whoever ends a process limits it. */
const UNLIMITED = 'dispose';

export type Limits = Readonly<Partial<Record<keyof Ledger, number>>>;

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

/**
 * A call that is not answered in time has an unknown fate. Its answer, should it still come, is heard by nobody. `longer` has the limits of
 * calls that may take their time.
 */
export function withDeadlines(ledger: Ledger, clock: Clock, longer: Limits = {}): Ledger {
  const limited = Object.entries(ledger).map(([name, verb]: [string, Verb]): [string, Verb] => {
    if (name === UNLIMITED) return [name, verb];
    const limitMs = longer[name as keyof Ledger] ?? CALL_LIMIT_MS;
    return [name, (...args) => answered(clock, limitMs, name, verb(...args))];
  });
  return Object.fromEntries(limited) as unknown as Ledger;
}

/** Of one call. */
export async function answered<T>(clock: Clock, limitMs: number, name: string, answer: Promise<T>): Promise<T> {
  if (await inTime(clock, limitMs, answer)) return answer;
  throw new CallFailed('unknown', `the store has not answered ${name} for ${limitMs / 1_000} s`);
}
