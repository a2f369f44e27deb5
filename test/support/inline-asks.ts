import { NO_EPOCH, type Session } from '../../runtime/ledger/redis/session.ts';
import { bindInput } from '../../runtime/results/inline/input.ts';
import { openSegment, storedPlace } from '../../runtime/results/inline/segments.ts';

/** Each script of the results that are kept in Redis, asked as a coordinator asks it, and as often as one likes. */
export const INLINE_ASKS: Readonly<Record<string, (session: Session) => Promise<unknown>>> = {
  openResults: (session) => session.under(0, 'open-results', ['place-1']),
  bindInput: (session) => bindInput(session, 0, { sha256: 'ab', bytes: 7, raw: false, maxLineBytes: 99 }, null),
  createSegment: create,
  append: async (session) => {
    await create(session);
    return session.under(0, 'append-segment', [HEAD.length, 'outcomes']);
  },
  segments: storedPlace,
  readSegment: (session) => session.runBytes('read-segment', [...NO_EPOCH, 0, 0, 0, 99]),
};

const HEAD = 'head.';

function create(session: Session): Promise<unknown> {
  return session.under(0, 'create-segment', ['me', HEAD]);
}

/** What there is by now: the segments, and the bytes of the first. */
export async function inlineStanding(session: Session): Promise<unknown> {
  const { placeId, bytes } = await storedPlace(session);
  const size = bytes.get(0);
  if (size === undefined) return [placeId, []];
  const into = Buffer.alloc(size);
  await (await openSegment(session, 0, 'the segment')).read(into, 0);
  return [placeId, [...bytes], into.toString()];
}
