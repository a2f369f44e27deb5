import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { type Started, startNode } from './processes.ts';

/** The product by its public command, and what it tells while it runs. */
export interface RolloutRun {
  readonly input: string;
  readonly output: string;
  readonly workers: number;
  readonly concurrency: number;
  readonly latencyMs: number;
  readonly spreadMs: number;
  /** The Redis server that keeps the ledger; the state directory does unless it is given. */
  readonly redis?: string;
}

export function startRollout(run: RolloutRun, env: Readonly<Record<string, string>> = {}): Started {
  const mock = ['--backend', 'mock', '--mock-latency', `${run.latencyMs}ms`, '--mock-latency-spread', `${run.spreadMs}ms`];
  const size = ['--workers', String(run.workers), '--concurrency', String(run.concurrency)];
  const store = run.redis === undefined ? [] : ['--redis', run.redis];
  return startNode('runtime/cli.js', ['run', run.input, '--output', run.output, ...mock, ...size, ...store], env);
}

export function stateDirOf(output: string): string {
  return `${output}.rollout`;
}

export interface Serving {
  readonly pid: number;
  readonly address: string;
  readonly http: string;
}

/** Who serves the run; undefined before the first one does. */
export function servingIn(stateDir: string): Serving | undefined {
  const text = textIfThere(join(stateDir, 'coordinator.json'));
  return text === undefined ? undefined : (JSON.parse(text) as Serving);
}

export type RunEvent = Readonly<Record<string, unknown>>;

/** Whole lines alone: the last one may be half written. */
export function eventsIn(stateDir: string): readonly RunEvent[] {
  const lines = (textIfThere(join(stateDir, 'events.ndjson')) ?? '').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as RunEvent);
}

/** How many items are done; undefined where nobody answers. */
export async function doneOf({ http }: Serving): Promise<number | undefined> {
  const text = await textOf(`http://${http}/health`);
  if (text === undefined) return undefined;
  const { progress } = JSON.parse(text) as { readonly progress: { readonly done: number } | null };
  return progress?.done;
}

function textOf(url: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    get(url, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      response.once('end', () => resolve(response.statusCode === 200 ? text : undefined));
      response.once('error', () => resolve(undefined));
    }).once('error', () => resolve(undefined));
  });
}

/** Undefined where there is no such file. */
export function textIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
