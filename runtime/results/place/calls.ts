import type { ResultsPlace, SegmentBytes, SegmentWriter } from './contract.ts';

/** Makes a call of a place: limits it, listens to it, or asks it again until it is answered. */
export type Through = <T>(verb: string, call: () => Promise<T>) => Promise<T>;

/** The same place, each call of which goes through `through`. */
export function throughCalls(place: ResultsPlace, through: Through): ResultsPlace {
  return {
    name: place.name,
    identity: () => through('identity', () => place.identity()),
    open: (epoch, runId) => through('open results', () => place.open(epoch, runId)),
    create: async (epoch, first) => {
      const reply = await through('create segment', () => place.create(epoch, first));
      return reply.kind === 'created' ? { ...reply, writer: writing(reply.writer, through) } : reply;
    },
    epochs: () => through('list segments', () => place.epochs()),
    read: async (epoch) => reading(await through('open segment', () => place.read(epoch)), through),
  };
}

/** An append that is asked again is asked with the same bytes, before anything else is (L20). */
function writing(writer: SegmentWriter, through: Through): SegmentWriter {
  return {
    append: (bytes) => through('append', () => writer.append(bytes)),
    ...(writer.room === undefined ? {} : { room: writer.room.bind(writer) }),
    close: () => writer.close(),
  };
}

function reading(segment: SegmentBytes, through: Through): SegmentBytes {
  return {
    size: () => through('size of segment', () => segment.size()),
    read: (into, position) => through('read segment', () => segment.read(into, position)),
    close: () => segment.close(),
  };
}
