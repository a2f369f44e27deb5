import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../runtime/base/random.ts';
import type { ModelServer } from './model-server.ts';
import type { Run } from './run.ts';
import { between } from './seed.ts';
import { PATIENCE_MS, until } from './until.ts';

/** Long enough for a start: the processes are caught anywhere between their first line of code and the first items. */
const STARTING_MS = 1_500;
const WORKING_MS = 1_000;

/** Waits for a random point of a run just started: turn by turn somewhere in its start, and somewhere in its work. */
export async function midRun(run: Run, server: ModelServer, random: Random, turn: number): Promise<void> {
  const executedBefore = server.total();
  await until('processes of the run', PATIENCE_MS, () => run.coordinator() !== undefined);
  if (turn % 2 === 0) await until('items are executed', PATIENCE_MS, () => server.total() > executedBefore);
  await sleep(between(random, 0, turn % 2 === 0 ? WORKING_MS : STARTING_MS));
}
