import type { ExecutionContext } from 'ava';
import { fineBody } from './zoo/fine.ts';
import { FINE, type Habit } from './zoo/habits.ts';
import { status } from './zoo/replies.ts';
import type { Reply } from './zoo/reply.ts';
import { type ZooServer, zooServer } from './zoo/server.ts';

/** The zoo's server as most tests want it: a behaviour for each execution of an item, which is known by the text of its first message. */
export interface ModelServer extends Omit<ZooServer, 'behave'> {
  /** Items executed more than once. */
  repeated(): readonly string[];
  lastBody(): Record<string, unknown>;
  answerWith(behave: Behave): void;
}

export type Behaviour =
  | { readonly kind: 'ok'; readonly afterMs?: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'empty' };

/** What happens to the `nth` (from 1) execution of `item`, asked for by the process at `peerPort`. */
export type Behave = (item: string, nth: number, peerPort: number) => Behaviour | Promise<Behaviour>;

export const OK: Behaviour = { kind: 'ok' };

export async function modelServer(t: ExecutionContext, behave: Behave = () => OK, port = 0): Promise<ModelServer> {
  const { behave: change, ...server } = await zooServer(t, habitOf(behave), { port });
  return {
    ...server,
    repeated: () => [...server.executions].filter(([, count]) => count > 1).map(([item]) => item),
    lastBody: () => JSON.parse(server.bodies.at(-1) ?? '{}') as Record<string, unknown>,
    answerWith: (next) => change(habitOf(next)),
  };
}

function habitOf(behave: Behave): Habit {
  return async (asked) => {
    const behaviour = await behave(asked.item, asked.nth, asked.peerPort);
    if (behaviour.kind === 'ok') return { ...(await FINE(asked)), ...afterOf(behaviour) };
    return replyOf(behaviour, asked.item, asked.url);
  };
}

function afterOf({ afterMs }: Extract<Behaviour, { kind: 'ok' }>): { readonly afterMs?: number } {
  return afterMs === undefined ? {} : { afterMs };
}

function replyOf(behaviour: Exclude<Behaviour, { kind: 'ok' }>, item: string, url: string): Reply {
  switch (behaviour.kind) {
    case 'status':
      return status(behaviour.status, behaviour.headers, behaviour.error);
    case 'hang':
      return { kind: 'hang' };
    case 'reset':
      return { kind: 'reset', after: 'nothing' };
    case 'truncated': {
      const whole = JSON.stringify(fineBody(url, item));
      return { kind: 'answer', status: 200, body: whole.slice(0, whole.length / 2) };
    }
    case 'empty':
      return { kind: 'answer', status: 200, body: '' };
  }
}
