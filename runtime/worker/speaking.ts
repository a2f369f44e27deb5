import type { Poll, PollReply, Transport } from '../model/session.ts';
import type { SessionStream } from '../rpc/session-client.ts';
import type { PollId } from './machine.ts';
import type { Link } from './session/link.ts';

/** What comes of what is said; each is a fact of the machine. */
export interface Hearing {
  onReply(id: PollId, reply: PollReply): void;
  onPollFailed(id: PollId): void;
  onWritten(id: PollId): void;
  onSessionEnded(session: number): void;
}

/** Carries the worker's messages to the coordinator, each as a call or all on one stream. */
export interface Speaking {
  say(poll: Poll): Promise<void>;
  /** Resolves when no call under way now is still unanswered. */
  answered(): Promise<void>;
}

/** A poll is answered within this beyond its wait, or its connection is given up. */
const POLL_MARGIN_MS = 5_000;
/** Replies on a stream answer no message in particular. */
const NO_POLL = 0;

export function createSpeaking(transport: Transport, link: Link, hearing: Hearing): Speaking {
  return transport === 'stream' ? onStreams(link, hearing) : inPolls(link, hearing);
}

/** The first message of a session opens a stream of its own. */
function onStreams(link: Link, hearing: Hearing): Speaking {
  let stream: SessionStream | null = null;
  const open = (session: number): void => {
    stream?.close();
    stream = link.openSession(
      (reply) => hearing.onReply({ session, poll: NO_POLL }, reply),
      () => hearing.onSessionEnded(session),
    );
  };
  return {
    say: async (poll) => {
      if (poll.hello !== null) open(poll.session);
      if (stream !== null) return stream.say(poll, () => hearing.onWritten(poll));
      // Not before what else was commanded with it is done.
      await Promise.resolve();
      hearing.onSessionEnded(poll.session);
    },
    answered: async () => undefined,
  };
}

function inPolls(link: Link, hearing: Hearing): Speaking {
  const asking = new Set<Promise<unknown>>();
  return {
    say: async (poll) => {
      const asked = link.call((client, signal) => client.poll(poll, poll.waitMs + POLL_MARGIN_MS, signal));
      asking.add(asked);
      const called = await asked.finally(() => asking.delete(asked));
      if (called.kind === 'reply') hearing.onReply(poll, called.reply);
      else hearing.onPollFailed(poll);
    },
    answered: async () => {
      await Promise.all(asking);
    },
  };
}
