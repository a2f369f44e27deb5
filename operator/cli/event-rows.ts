import type { CoreEvent } from '../kube/kind.ts';
import { ageText, tableText } from './table.ts';

/** Enough to see what has happened of late. */
const MOST_SHOWN = 10;

/** The newest events, the oldest of them first. Pure. */
export function newestEvents(events: readonly CoreEvent[]): readonly CoreEvent[] {
  return events.toSorted((one, other) => atMs(one) - atMs(other)).slice(-MOST_SHOWN);
}

export function eventTable(events: readonly CoreEvent[], nowMs: number): readonly string[] {
  return tableText(
    ['LAST', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
    events.map((event) => {
      const { type, reason, message, involvedObject } = event;
      const count = event.series?.count ?? event.count ?? 1;
      const text = (message ?? '').replaceAll(/\s+/g, ' ').trim();
      return [
        ageText(new Date(atMs(event)).toISOString(), nowMs),
        ...[
          type ?? '',
          reason ?? '',
          `${involvedObject.kind ?? ''}/${involvedObject.name ?? ''}`,
          `${text}${count > 1 ? ` (${count} times)` : ''}`,
        ],
      ];
    }),
  );
}

/** Older and newer writers of events fill in different fields. */
function atMs({ series, lastTimestamp, eventTime, firstTimestamp, metadata }: CoreEvent): number {
  const at = Date.parse(
    String(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? ''),
  );
  return Number.isNaN(at) ? 0 : at;
}
