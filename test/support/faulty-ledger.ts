import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';

/** What happens to one call. `fail-after` did it, and its reply was lost; `twice` did it once more, as a network might. */
export type Fault =
  | 'fail-before'
  | 'fail-after'
  | 'twice'
  | { readonly holdBefore: Promise<unknown> }
  | { readonly holdAfter: Promise<unknown> };

/** Asked once for each call, with its number from 1 per verb; null lets it pass. */
export type FaultPlan = (verb: keyof Ledger, call: number) => Fault | null;

export class InjectedFault extends CallFailed {
  override readonly name = 'InjectedFault';

  constructor(message: string) {
    super('unknown', message);
  }
}

/** A ledger whose calls fail, wait or repeat as planned, so that a caller has to live with answers of unknown fate (L20). */
export function createFaultyLedger(inner: Ledger, plan: FaultPlan): Ledger {
  const calls = new Map<string, number>();
  const call = async (verb: keyof Ledger, run: () => Promise<unknown>): Promise<unknown> => {
    const number = (calls.get(verb) ?? 0) + 1;
    calls.set(verb, number);
    return withFault(plan(verb, number), `${verb} ${number}`, run);
  };
  return new Proxy(inner, {
    get: (target, verb: keyof Ledger) => {
      const run: unknown = target[verb];
      if (typeof run !== 'function') return run;
      return (...args: readonly unknown[]) => call(verb, async () => Reflect.apply(run, target, args) as unknown);
    },
  });
}

async function withFault(fault: Fault | null, what: string, run: () => Promise<unknown>): Promise<unknown> {
  if (fault === 'fail-before') throw new InjectedFault(`${what}: not done`);
  if (typeof fault === 'object' && fault !== null && 'holdBefore' in fault) await fault.holdBefore;
  if (fault === 'twice') await run();
  const reply = await run();
  if (typeof fault === 'object' && fault !== null && 'holdAfter' in fault) await fault.holdAfter;
  if (fault === 'fail-after') throw new InjectedFault(`${what}: done, the reply was lost`);
  return reply;
}
