import { join } from 'node:path';

/** An address for where none is known: nobody answers there. */
export const NOWHERE: string = 'localhost:1';

/** Where the files of a run lie below its state directory: the names are told here alone. */
export interface StatePaths {
  readonly stateDir: string;
  readonly runFile: string;
  readonly lock: string;
  readonly children: string;
  readonly coordinatorConfig: string;
  /** Who serves the run, or served it last. */
  readonly serving: string;
  /** The highest epoch that this directory has seen (epoch-mark.ts). */
  readonly epochMark: string;
  readonly answerNotes: string;
  /** How the run ended. */
  readonly finished: string;
  readonly lastEnd: string;
  readonly tlsDir: string;
  readonly storeDir: string;
  /** The results place. */
  readonly segmentsDir: string;
  readonly indexDir: string;
  readonly events: string;
  readonly workersDir: string;
}

export function statePaths(stateDir: string): StatePaths {
  return {
    stateDir,
    runFile: join(stateDir, 'run.json'),
    lock: join(stateDir, 'lock'),
    children: join(stateDir, 'children.json'),
    coordinatorConfig: join(stateDir, 'coordinator.yaml'),
    serving: join(stateDir, 'coordinator.json'),
    epochMark: join(stateDir, 'epochs'),
    answerNotes: join(stateDir, 'answer-notes.json'),
    finished: join(stateDir, 'finished.json'),
    lastEnd: join(stateDir, 'last-end.json'),
    tlsDir: join(stateDir, 'tls'),
    storeDir: join(stateDir, 'store'),
    segmentsDir: join(stateDir, 'segments'),
    indexDir: join(stateDir, 'index'),
    events: join(stateDir, 'events.ndjson'),
    workersDir: join(stateDir, 'workers'),
  };
}

export function workerDir(paths: StatePaths, slot: string): string {
  return join(paths.workersDir, slot);
}

export function workerConfigFile(paths: StatePaths, slot: string): string {
  return join(paths.workersDir, slot, 'worker.yaml');
}

/** Where a worker's files lie below its own state directory. */
export interface WorkerPaths {
  readonly storeDir: string;
  readonly knownGood: string;
}

export function workerPaths(stateDir: string): WorkerPaths {
  return { storeDir: join(stateDir, 'store'), knownGood: join(stateDir, 'known-good.json') };
}

export function logFile(paths: StatePaths, name: string): string {
  return join(paths.stateDir, 'logs', `${name}.log`);
}

export function defaultStateDir(output: string): string {
  return `${output}.rollout`;
}
