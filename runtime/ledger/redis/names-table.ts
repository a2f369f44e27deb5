import type { WorkerId } from '../../model/row.ts';

/** The workers that a request names, each once: the others of its parts give the place, from 1 (lua/lib/names.lua). */
export class NamesTable {
  readonly #places = new Map<WorkerId, number>();

  placeOf(worker: WorkerId): number {
    const known = this.#places.get(worker);
    if (known !== undefined) return known;
    const place = this.#places.size + 1;
    this.#places.set(worker, place);
    return place;
  }

  get all(): readonly WorkerId[] {
    return [...this.#places.keys()];
  }
}
