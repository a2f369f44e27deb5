import { join } from 'node:path';

/** An address for where none is known: nobody answers there. */
export const NOWHERE: string = 'localhost:1';

/** Where the files of a run lie below its state directory. */
export interface StatePaths {
  readonly stateDir: string;
  readonly lock: string;
  readonly children: string;
  readonly coordinatorConfig: string;
  readonly coordinatorMark: string;
  readonly answerNotes: string;
  readonly lastEnd: string;
  readonly tlsDir: string;
  readonly storeDir: string;
  readonly segmentsDir: string;
  readonly indexDir: string;
  readonly events: string;
  readonly workersDir: string;
}

export function statePaths(stateDir: string): StatePaths {
  return {
    stateDir,
    lock: join(stateDir, 'lock'),
    children: join(stateDir, 'children.json'),
    coordinatorConfig: join(stateDir, 'coordinator.yaml'),
    coordinatorMark: join(stateDir, 'coordinator.json'),
    answerNotes: join(stateDir, 'answer-notes.json'),
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

export function logFile(paths: StatePaths, name: string): string {
  return join(paths.stateDir, 'logs', `${name}.log`);
}

export function defaultStateDir(output: string): string {
  return `${output}.rollout`;
}
