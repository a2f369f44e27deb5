/**
 * `make bench`: measures the product, the bare path and BullMQ side by side, in rounds; writes bench/results.json and the table of the
 * README. ONLY=end-to-end,start measures these parts alone and leaves the others as they were; ROUNDS=3; SCALE=small tries it with less and
 * prints the table only, SCALE=tiny takes seconds; RESULTS=file keeps what was measured there instead.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import process from 'node:process';
import { installSystemPackages } from '../scripts/system-packages.ts';
import { endToEnd, oneByOne } from './end-to-end.ts';
import { idle } from './idle.ts';
import { largeList } from './large-list.ts';
import { ledger } from './ledger.ts';
import { parseOptions } from './options.ts';
import { killStarted } from './processes.ts';
import { largeOnRedis } from './redis/large-list.ts';
import { redis } from './redis/redis.ts';
import { restart } from './restart.ts';
import { merged, type PartResult, type Results } from './results.ts';
import { Rounds } from './rounds.ts';
import { SIZES } from './sizes.ts';
import { slots } from './slots.ts';
import { start } from './start.ts';
import { tableText, withTable } from './table.ts';

const README = 'README.md';
const GIB = 2 ** 30;

const parts = [endToEnd, oneByOne, slots, ledger, redis, idle, start, restart, largeList, largeOnRedis];
const names = parts.map(({ name }) => name);
const options = parseOptions(process.env, names);
if (typeof options === 'string') {
  process.stderr.write(`${options}\n`);
  process.exit(2);
}
installSystemPackages(say);
const { scale, rounds, only, resultsPath, isForReadme } = options;
const chosen = parts.filter(({ name }) => only.length === 0 || only.includes(name));
const bench = new Rounds(SIZES[scale]);
process.once('exit', () => {
  killStarted();
  bench.clean();
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

const measured = await bench.run(chosen, rounds, say);
const [day, machine] = [new Date().toISOString().slice(0, 10), machineText()];
const now = Object.fromEntries([...measured].map(([name, all]): [string, PartResult] => [name, { scale, day, machine, rounds: all }]));
const results = merged(resultsPath === null ? null : readResults(resultsPath), now, names);
const table = tableText(results);
say(table);
if (resultsPath !== null) writeFileSync(resultsPath, `${JSON.stringify(results, null, 1)}\n`);
if (isForReadme) writeReadme(table);

function readResults(path: string): Results | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function writeReadme(text: string): void {
  const changed = withTable(readFileSync(README, 'utf8'), text);
  if (changed === null) throw new Error(`${README} has no place for the table`);
  writeFileSync(README, changed);
}

function machineText(): string {
  const all = cpus();
  return `${all.length} cores (${all[0]?.model.trim() ?? 'unknown'}), ${Math.round(totalmem() / GIB)} GiB, Node ${process.versions.node}`;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
