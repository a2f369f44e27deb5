import { connectionsOf } from './peer-process.ts';
import { isAlive } from './process-table.ts';
import type { Run } from './run.ts';
import { workerName } from './worker-pid.ts';

export interface Asker {
  /** 0 where the process has ended meanwhile. */
  readonly pid: number;
  /** Of the worker; empty where there is none. */
  readonly name: string;
}

const NOBODY: Asker = { pid: 0, name: '' };

/**
 * Which worker asks a server, by the port of its connection. What was found is kept for as long as the process lives: a look through /proc
 * for each request costs more than the requests.
 */
export class Askers {
  readonly #run: () => Run;
  readonly #known = new Map<number, Asker>();

  /** The server is there before the run whose workers ask it. */
  constructor(run: () => Run) {
    this.#run = run;
  }

  at(port: number): Asker {
    const known = this.#known.get(port);
    if (known !== undefined && isAlive(known.pid)) return known;
    this.#known.delete(port);
    const run = this.#run();
    const workers = new Map(run.workers().map((pid): [number, Asker] => [pid, { pid, name: workerName(run, pid) }]));
    for (const [one, pid] of connectionsOf([...workers.keys()])) this.#known.set(one, workers.get(pid) ?? NOBODY);
    return this.#known.get(port) ?? NOBODY;
  }
}
