import { mustGet } from '../../base/assert.ts';
import type { Claim, Claimed, CommitRequest, Gone, HandBack, Pick, Settlement } from '../contract.ts';

/**
 * While a script runs, the server serves nobody else. So much of this work takes a script a few milliseconds, also where each item lies
 * in a page of its own and has a history: one unit is one such item.
 */
export const MOST_UNITS = 256;

/** Settlements of first attempts that share a word of 32 items are taken together (packed-settles.ts); if they are not open, each is looked at. */
const UNITS_OF_NEIGHBOUR = 1 / 8;
/** Fresh items are granted by pages of 256. If they are taken already, the reply says what stands at each. */
const UNITS_OF_FRESH = 1 / 4;
const MOST_FRESH: number = MOST_UNITS / UNITS_OF_FRESH;

/** What one script takes of a commit; `places`: where each of its claims, or a piece of it, stands in the whole. */
export interface CommitPart extends CommitRequest {
  readonly places: readonly number[];
}

/** In the order of the request. At least one part. */
export function partsOf({ settles, handBacks, claims }: CommitRequest): readonly CommitPart[] {
  const filling = new Filling();
  let before: Settlement | null = null;
  for (const one of settles) {
    filling.partFor(unitsOf(one, before)).settles.push(one);
    before = one;
  }
  for (const one of handBacks) filling.partFor(1).handBacks.push(one);
  for (const [place, { worker, picks }] of claims.entries()) {
    filling.claimFor(1, place, worker);
    for (const pick of picks.flatMap(piecesOf)) filling.claimFor(unitsOfPick(pick), place, worker).push(pick);
  }
  return filling.parts;
}

/** One answer for a claim that was cut. */
export function joined(before: Claimed | Gone | undefined, next: Claimed | Gone): Claimed | Gone {
  if (before === undefined || next.kind === 'gone') return next;
  if (before.kind === 'gone') return before;
  return { ...next, granted: [...before.granted, ...next.granted], found: [...before.found, ...next.found] };
}

/** Rows of the rare verbs, a unit each. */
export function slicesOf<T>(rows: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.max(1, Math.ceil(rows.length / MOST_UNITS)) }, (_, n) =>
    rows.slice(n * MOST_UNITS, (n + 1) * MOST_UNITS),
  );
}

function unitsOf({ index, row }: Settlement, before: Settlement | null): number {
  const isNeighbour = before !== null && before.index >>> 5 === index >>> 5 && row.attempt === 1;
  return isNeighbour ? UNITS_OF_NEIGHBOUR : 1;
}

function unitsOfPick(pick: Pick): number {
  return 'cursor' in pick ? pick.count * UNITS_OF_FRESH : 1;
}

function piecesOf(pick: Pick): readonly Pick[] {
  if (!('cursor' in pick) || pick.count <= MOST_FRESH) return [pick];
  return Array.from({ length: Math.ceil(pick.count / MOST_FRESH) }, (_, n) => {
    const from = n * MOST_FRESH;
    return { cursor: pick.cursor + from, count: Math.min(MOST_FRESH, pick.count - from) };
  });
}

interface OpenPart {
  readonly settles: Settlement[];
  readonly handBacks: HandBack[];
  readonly claims: (Claim & { readonly picks: Pick[] })[];
  readonly places: number[];
}

class Filling {
  readonly parts: OpenPart[] = [];
  #room = 0;

  constructor() {
    this.#begin();
  }

  /** A part is never empty, so one that takes more than the bound stands alone. */
  partFor(units: number): OpenPart {
    if (this.#room < units && this.#room < MOST_UNITS) this.#begin();
    this.#room -= units;
    return mustGet(this.parts.at(-1), 'the part that is being filled');
  }

  /** The picks of a claim, of which this part may have only some. */
  claimFor(units: number, place: number, worker: Claim['worker']): Pick[] {
    const { claims, places } = this.partFor(units);
    if (places.at(-1) !== place) {
      places.push(place);
      claims.push({ worker, picks: [] });
    }
    return mustGet(claims.at(-1), 'the claim that is being filled').picks;
  }

  #begin(): void {
    this.parts.push({ settles: [], handBacks: [], claims: [], places: [] });
    this.#room = MOST_UNITS;
  }
}
