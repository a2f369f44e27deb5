import { assertNever } from '../../base/assert.ts';
import type { DrainStep } from '../../model/session.ts';

/** How a drain reads. Pure. */
export function stepText({ step, items, remainingMs }: DrainStep): string {
  switch (step) {
    case 'stopped-pulling':
      return `takes nothing new${leftText(remainingMs)}`;
    case 'returned-unstarted':
      return `${itemsText(items)} that had not started went back`;
    case 'finishing':
      return `${itemsText(items)} can end in time and ${items === 1 ? 'goes' : 'go'} on${leftText(remainingMs)}`;
    case 'returned-started':
      return `${itemsText(items)} that had started and cannot end in time went back`;
    case 'leaving':
      return 'holds nothing any more, and leaves';
    case 'withdrawn':
      return 'works again: the hint was withdrawn';
    default:
      return assertNever(step);
  }
}

function itemsText(items: number): string {
  return items === 1 ? '1 item' : `${items} items`;
}

function leftText(remainingMs: number): string {
  return remainingMs === 0 ? '' : `, ${(remainingMs / 1_000).toFixed(1)} s left`;
}
