import { isScale, type Scale } from './sizes.ts';

/** What the environment of `make bench` says. */
export interface Options {
  readonly scale: Scale;
  readonly rounds: number;
  /** Names of parts; empty for all. */
  readonly only: readonly string[];
  /** Where the measurements go; null: they are only printed. */
  readonly resultsPath: string | null;
  /** Whether the README gets the table. */
  readonly isForReadme: boolean;
}

export const RESULTS_FILE = 'bench/results.json';
const FULL_ROUNDS = 5;

/** Text where it cannot be understood. Only figures of the full scale are kept, unless a file is named for others. */
export function parseOptions(env: Readonly<Record<string, string | undefined>>, parts: readonly string[]): Options | string {
  const scale = env['SCALE'] || 'full';
  if (!isScale(scale)) return `SCALE=${scale}: there are full, small and tiny`;
  const rounds = env['ROUNDS'] || String(scale === 'full' ? FULL_ROUNDS : 1);
  if (!/^[1-9]\d?$/.test(rounds)) return `ROUNDS=${rounds}: give a number from 1 to 99`;
  const only = (env['ONLY'] ?? '').split(/[ ,]+/).filter((name) => name !== '');
  const unknown = only.find((name) => !parts.includes(name));
  if (unknown !== undefined) return `ONLY=${unknown}: there are ${parts.join(', ')}`;
  const isForReadme = scale === 'full' && !env['RESULTS'];
  return { scale, rounds: Number(rounds), only, resultsPath: env['RESULTS'] || (isForReadme ? RESULTS_FILE : null), isForReadme };
}
