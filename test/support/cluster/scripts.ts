import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { RUN_MARK } from '../../../scripts/leftovers.ts';

/** The scripts of test/cluster/kubernetes, which start and end the clusters of this machine. */
export const KUBERNETES: string = fileURLToPath(new URL('../../cluster/kubernetes', import.meta.url));
/** A machine can have two clusters: that of `make cluster-up`, and a second one that `make test` has beside it. */
export const CLUSTERS = [0, 1] as const;
export type ClusterNumber = (typeof CLUSTERS)[number];
/** A cluster that is not made by the scripts of test/cluster/kubernetes: tests use what is there. */
export const GIVEN_KUBECONFIG = 'ROLLOUT_TEST_KUBECONFIG';
const NUMBER_VARIABLE = 'CLUSTER_NUMBER';
/** The cluster that the tests of this process mean. */
const NUMBER: ClusterNumber = numberOf(process.env[NUMBER_VARIABLE] ?? '0');

function numberOf(text: string): ClusterNumber {
  const number = CLUSTERS.find((one) => String(one) === text);
  if (number === undefined) throw new Error(`${NUMBER_VARIABLE} is ${text}: a machine has the clusters ${CLUSTERS.join(' and ')}`);
  return number;
}

/** By which scripts and tests know the cluster that is meant. */
export function clusterEnvironment(number: ClusterNumber): Readonly<Record<string, string>> {
  return { [NUMBER_VARIABLE]: String(number) };
}

/** Keys, logs, pid files and disks of a cluster. */
export function clusterRun(number: ClusterNumber): string {
  return join(tmpdir(), number === 0 ? 'rollout-cluster' : `rollout-cluster-${number}`);
}

export const CLUSTER_RUN: string = clusterRun(NUMBER);
/** This machine, as the pods of the cluster reach it. */
export const MACHINE_ADDRESS: string = `10.250.${NUMBER}.1`;
/** What is built once and used by all runs: programs and images. */
export const CLUSTER_CACHE: string = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'rollout-cluster');

const LAST_LINES = 20;

export interface ScriptOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Hears what the script says of its progress. */
  readonly onLine?: (line: string) => void;
  /** Ends the script and all that it has started in the foreground. */
  readonly signal?: AbortSignal;
}

/** Runs a script to its end and answers what it printed. Throws with the last lines that it said where it fails. */
export async function runScript(name: string, args: readonly string[], options: ScriptOptions = {}): Promise<string> {
  options.signal?.throwIfAborted();
  const { [RUN_MARK]: _mark, ...inherited } = process.env; // The cluster is ended by its own scripts, not with what tests leave behind.
  const child = spawn(join(KUBERNETES, name), args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited, TMPDIR: tmpdir(), ...options.env },
    detached: true,
  });
  const stop = (): void => void (child.exitCode === null && child.pid !== undefined && process.kill(-child.pid, 'SIGTERM'));
  options.signal?.addEventListener('abort', stop);
  const said: string[] = [];
  const lines = (async () => {
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line);
      options.onLine?.(line);
    }
  })();
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, printed] = await Promise.all([ended, text(child.stdout), lines]);
  options.signal?.removeEventListener('abort', stop);
  if (code !== 0) throw new Error(`${name} ${args.join(' ')}: exit ${code}\n${said.slice(-LAST_LINES).join('\n')}`);
  return printed.trim();
}

/** The process that ends a cluster of this machine; 0 where somebody does it by hand, null where there is none. */
export function holderOfCluster(number: ClusterNumber = NUMBER): number | null {
  try {
    return Number.parseInt(readFileSync(join(clusterRun(number), 'holder'), 'utf8'), 10);
  } catch {
    return null;
  }
}
