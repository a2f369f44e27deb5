import { join } from 'node:path';
import { runBySettings } from './by-settings.ts';
import type { Round, Run, Subject } from './contract.ts';
import { requireResults } from './items.ts';
import { measured, startNode } from './processes.ts';
import { startRollout } from './rollout.ts';

/** What every subject does: it reads the items, executes each on one of the workers, and writes the results in the order of the items. */
export interface ListRun {
  readonly items: number;
  readonly lineBytes: number;
  readonly inFlight: Readonly<Record<Subject, number>>;
  /** Where it is given, Rollout is started by settings files, and each of its workers holds so many more items ready. */
  readonly prefetch?: number;
  /** The Redis server that keeps Rollout's ledger. */
  readonly redis?: string;
}

export const SUBJECTS: readonly Subject[] = ['rollout', 'bare', 'bullmq'];

/** As long as requests that people send, with a short prompt. */
export const LINE_BYTES = 400;

/**
 * The product with what it does unless told otherwise. The bare path with the window at which it is fastest. BullMQ as its documentation
 * advises for short jobs; more makes it no faster.
 */
export const BATCHED: ListRun['inFlight'] = { rollout: 64, bare: 384, bullmq: 32 };

/** Starts it, waits for its end, and sees that it did what it had to. */
export async function runList(subject: Subject, round: Round, list: ListRun): Promise<Run> {
  const [input, dir] = [round.input(list.items, list.lineBytes), round.newDir()];
  const output = join(dir, 'out.jsonl');
  const run = await measured(() => runToEnd(subject, input, output, round.sizes.workers, list));
  requireResults(output, list.items);
  return run;
}

function runToEnd(subject: Subject, input: string, output: string, workers: number, list: ListRun): Promise<void> {
  const { items, inFlight, prefetch, redis } = list;
  const own = inFlight[subject];
  const store = redis === undefined ? {} : { redis };
  const run = { input, output, workers, concurrency: own, latencyMs: 0, spreadMs: 0, ...store };
  if (subject === 'rollout') return prefetch === undefined ? startRollout(run).ended : runBySettings({ ...run, prefetch });
  const file = subject === 'bare' ? 'bench/bare/main.ts' : 'bench/bullmq/main.ts';
  return startNode(file, [input, output, String(items), String(workers), String(own)]).ended;
}
