import { mustGet } from '../../base/assert.ts';
import { COORDINATOR_WORKER, type WorkerId } from '../../model/row.ts';
import type { WorkerNames } from '../range-page.ts';
import type { WorkerRow } from '../rows.ts';
import { COORDINATOR_NUMBER } from '../rules/worker.ts';
import type { KeyValues } from './key-values.ts';
import { workerKey, workerNameKey } from './keys.ts';

/** Number and name of a worker belong together for ever (L9), so what was read once need not be read again. */
export interface Names extends WorkerNames {
  /** After a failed commit: names read in it may never have been written. */
  clear(): void;
}

export function createNames(database: KeyValues): Names {
  const names = new Map<number, WorkerId>();
  const numbers = new Map<WorkerId, number>();
  const keep = (number: number, name: WorkerId): void => {
    names.set(number, name);
    numbers.set(name, number);
  };
  const clear = (): void => {
    names.clear();
    numbers.clear();
    keep(COORDINATOR_NUMBER, COORDINATOR_WORKER);
  };
  clear();
  return {
    clear,
    nameOf: (number) => {
      if (!names.has(number)) keep(number, mustGet(database.getBinary(workerNameKey(number)), 'the name of a worker').toString());
      return mustGet(names.get(number), 'the name of a worker');
    },
    numberOf: (worker) => {
      if (!numbers.has(worker)) keep(mustGet(readWorker(database, worker), 'a worker with a row is registered').number, worker);
      return mustGet(numbers.get(worker), 'the number of a worker');
    },
  };
}

export function readJson<T>(database: KeyValues, key: Buffer): T | null {
  const bytes = database.getBinary(key);
  return bytes === undefined ? null : (JSON.parse(bytes.toString()) as T);
}

export function readWorker(database: KeyValues, worker: WorkerId): WorkerRow | null {
  return readJson<WorkerRow>(database, workerKey(worker));
}
