import { RolloutError } from '../../base/errors.ts';
import type { Random } from '../../base/random.ts';
import type { Fenced } from '../../ledger/contract.ts';
import { keyOf } from '../../ledger/redis/keys.ts';
import type { Epoch } from '../../model/row.ts';
import type { Created, Opened, PlaceReads, ResultsPlace } from '../place/contract.ts';
import { segmentPath } from '../place/segment-name.ts';
import { type InlineSession, openSegment, storedPlace } from './segments.ts';
import { InlineWriter } from './writer.ts';

/** Where results are that are kept beside the ledger of a run, in Redis. */
export interface InlineReads {
  /** That of the ledger. */
  readonly session: InlineSession;
  readonly runId: string;
  /** For people: the server. */
  readonly server: string;
}

export interface InlineOptions extends InlineReads {
  /** All segments together hold no more, so that a run does not fill a server that others use. */
  readonly limitBytes: number;
  readonly random: Random;
}

/** For who reads the results of a run without its epoch. */
export function inlineReads({ session, runId, server }: InlineReads): PlaceReads {
  const name = `${server} ${keyOf(runId, 'segments')}`;
  return {
    name,
    identity: async () => {
      const { placeId } = await storedPlace(session);
      return placeId === null ? null : { placeId, runId };
    },
    epochs: async () => [...(await storedPlace(session)).bytes.keys()],
    read: (epoch) => openSegment(session, epoch, segmentPath({ name }, epoch)),
  };
}

/**
 * The results of a small run, beside its ledger in Redis: coordinators on several hosts need no directory that they share. Each script
 * looks at the epoch first, as every verb of the ledger does; so a deposed coordinator cannot even append to its own segment (L5).
 */
export function inlinePlace(options: InlineOptions): ResultsPlace {
  const { session, runId, random } = options;
  const reads = inlineReads(options);
  const creator = random.hex(16);
  return {
    ...reads,
    open: (epoch, wanted) => open(session, epoch, { runId, wanted, placeId: random.hex(16), name: reads.name }),
    create: (epoch, first) => create(options, reads.name, epoch, creator, first),
  };
}

interface Identity {
  readonly runId: string;
  readonly wanted: string;
  readonly placeId: string;
  readonly name: string;
}

async function open(session: InlineSession, epoch: Epoch, { runId, wanted, placeId, name }: Identity): Promise<Opened | Fenced> {
  if (wanted !== runId) throw new RolloutError('PLACE_ELSEWHERE', `${name} holds the results of run ${runId}, not of run ${wanted}`);
  const reply = await session.under(epoch, 'open-results', [placeId]);
  if ('kind' in reply) return reply as Fenced;
  return { kind: 'opened', place: { placeId: String(reply[2]), runId } };
}

async function create(
  { session, limitBytes }: InlineOptions,
  name: string,
  epoch: Epoch,
  creator: string,
  first: Uint8Array,
): Promise<Created | Fenced> {
  const path = segmentPath({ name }, epoch);
  const reply = await session.under(epoch, 'create-segment', [creator, Buffer.from(first)]);
  if ('kind' in reply) return reply as Fenced;
  if (reply[0] === 'exists')
    throw new RolloutError('RESULT_LOG_FAILED', `${path} exists already: another process has opened the result log of this epoch`);
  // Nobody else can append any more: what the earlier segments hold stays as it is.
  const { bytes } = await storedPlace(session);
  const others = [...bytes].reduce((sum, [of, size]) => (of === epoch ? sum : sum + size), 0);
  return {
    kind: 'created',
    writer: new InlineWriter({ session, epoch, path, bytes: first.length, mostBytes: limitBytes - others, limitBytes }),
  };
}
