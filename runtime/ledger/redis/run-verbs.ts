import { assert } from '../../base/assert.ts';
import { COORDINATOR_WORKER, type Stamp } from '../../model/row.ts';
import type { Fenced, Finished, Overtaken, Place } from '../contract.ts';
import type { CoordinatorLedger } from '../views.ts';
import { type Reply, stateOf } from './refusal.ts';
import { reopen } from './reopening.ts';
import type { Argument, ScriptName } from './scripts.ts';
import type { Session } from './session.ts';

type RunVerbs = Pick<CoordinatorLedger, 'bind' | 'register' | 'forget' | 'pause' | 'resume' | 'finish' | 'reopen'>;

/** `expireAfterMs`: how long after its end the keys of a finished run are kept, 0 for ever. */
export function runVerbs(session: Session, expireAfterMs: number): RunVerbs {
  const stamped = (by: Stamp, verb: ScriptName, args: readonly Argument[]) => session.under(by.epoch, verb, [by.serial, ...args]);
  return {
    bind: async (epoch, place) => {
      const reply = await session.under(epoch, 'bind', [placeText(place)]);
      if ('kind' in reply) return reply as Fenced;
      return reply[0] === 'bound' ? { kind: 'bound' } : { kind: 'elsewhere', place: JSON.parse(reply[2] as string) as Place };
    },
    register: async (by, worker, info) => {
      assert(worker !== COORDINATOR_WORKER, 'the coordinator is known without registration');
      const reply = await stamped(by, 'register', [worker, JSON.stringify(info)]);
      if ('kind' in reply) return reply as Fenced | Overtaken;
      session.names.keep(reply[2] as number, worker);
      return { kind: 'registered' };
    },
    forget: async (by, worker) => {
      const reply = await stamped(by, 'forget', [worker]);
      return 'kind' in reply ? (reply as Fenced | Overtaken) : { kind: 'forgotten' };
    },
    pause: async (by, reason) => {
      const reply = await stamped(by, 'pause', ['p', reason]);
      return 'kind' in reply ? reply : { kind: 'paused' };
    },
    resume: async (by) => {
      const reply = await stamped(by, 'pause', ['r', '']);
      return 'kind' in reply ? reply : { kind: 'resumed' };
    },
    finish: async (by, items) => {
      const reply = await stamped(by, 'finish', [items, expireAfterMs]);
      return 'kind' in reply ? (reply as Fenced | Overtaken) : finishedOf(reply);
    },
    reopen: (by, reopening) => reopen(session, by, reopening),
  };
}

/** Compared as it stands, so its members are always in this order. */
function placeText({ placeId, runId }: Place): string {
  return JSON.stringify({ placeId, runId });
}

function finishedOf([kind, , counts, state, reason]: Reply): Finished {
  if (kind === 'finished') return { kind: 'finished' };
  const [epoch = -1, cursor = 0, running = 0, handedBack = 0, done = 0, failed = 0, redone = 0] = counts as readonly number[];
  const progress = { state: stateOf(state as string, reason as string), epoch, cursor, running, handedBack, done, failed, redone };
  return { kind: 'unfinished', progress };
}
