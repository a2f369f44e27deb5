import { COORDINATOR_WORKER, type WorkerId } from '../../model/row.ts';
import { COORDINATOR_NUMBER } from '../rules/worker.ts';

/** Names by number. The two belong together for ever (L9), so what was read once need not be read again. */
export class NameBook {
  readonly #names = new Map<number, WorkerId>([[COORDINATOR_NUMBER, COORDINATOR_WORKER]]);
  /** A number was asked for that is not in the book: what was made of it is not to be used. */
  isMissing = false;

  nameOf(number: number): WorkerId {
    const name = this.#names.get(number);
    if (name === undefined) this.isMissing = true;
    return name ?? '';
  }

  keep(number: number, name: WorkerId): void {
    this.#names.set(number, name);
  }
}
