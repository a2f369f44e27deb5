import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { childStarter } from '../../runtime/cli/run/child.ts';
import type { SupervisionEnd, SupervisorPlan } from '../../runtime/cli/run/supervised-run.ts';
import { Supervisor } from '../../runtime/cli/run/supervisor.ts';
import { signal } from './process-table.ts';

/** Says what happens to it in one diary, and does what `behaviour` says. It has started once it would not miss a signal. */
const ACTOR = `
import { appendFileSync, readFileSync } from 'node:fs';
const [, , diary, name, behaviour, argument] = process.argv;
const isFirst = process.argv.includes('first');
const say = (what) => appendFileSync(diary, name + ' ' + what + '\\n');
process.on('message', (message) => say('heard ' + JSON.stringify(message)));
process.on('disconnect', () => process.exit(0));
if (behaviour === 'stubborn') process.on('SIGTERM', () => say('ignored SIGTERM'));
else process.on('SIGTERM', () => { say('ended'); process.exit(name === 'coordinator' ? 130 : 0); });
say('started ' + process.pid + (isFirst ? ' first' : ''));
if (name === 'coordinator') process.send({ kind: 'listening', address: 'localhost:' + process.pid });
if (behaviour === 'give-up') setTimeout(() => process.send({ kind: 'given-up', reason: argument }, () => process.exit(4)), 300);
if (behaviour === 'store') {
  process.send({ kind: 'store', trouble: 'redis://h: gone' });
  if (argument === 'back') setTimeout(() => process.send({ kind: 'store', trouble: null }), 300);
}
if (behaviour === 'exit') setTimeout(() => { say('ended'); process.exit(Number(argument)); }, 300);
if (behaviour === 'exit-once-there') setInterval(() => readFileSync(diary, 'utf8').includes(argument + ' started') && process.exit(0), 50);
setInterval(() => {}, 1000);
`;

/** A supervisor, and actors in the place of its processes. */
export interface Stage {
  readonly supervisor: Supervisor;
  readonly notices: readonly string[];
  readonly endings: readonly SupervisionEnd[];
  diary(): Promise<readonly string[]>;
  pidOf(name: string): Promise<number | undefined>;
}

export interface Circumstances {
  readonly hasOpenItems?: boolean;
  readonly hasServed?: (notices: readonly string[]) => boolean;
  readonly isConnected?: boolean;
  readonly drainTimeoutMs?: number;
  readonly waitStoreMs?: number;
}

export async function stage(
  t: ExecutionContext,
  behaviours: Readonly<Record<string, readonly string[]>>,
  {
    hasOpenItems = true,
    hasServed = (_notices) => true,
    isConnected = true,
    drainTimeoutMs = 30_000,
    waitStoreMs = 60_000,
  }: Circumstances = {},
): Promise<Stage> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-supervisor-'));
  const diaryFile = join(dir, 'diary');
  const notices: string[] = [];
  const endings: SupervisionEnd[] = [];
  const pids: number[] = [];
  await writeFile(join(dir, 'actor.mjs'), ACTOR);
  await writeFile(diaryFile, '');
  t.teardown(async () => {
    for (const pid of pids) signal(pid, 'SIGKILL');
    await rm(dir, { recursive: true, force: true });
  });
  const child = (name: string): SupervisorPlan['coordinator'] => ({
    name,
    argv: [join(dir, 'actor.mjs'), diaryFile, name, ...(behaviours[name] ?? [])],
    env: process.env,
    logFile: join(dir, 'logs', `${name}.log`),
  });
  const workers = Object.keys(behaviours).filter((name) => name !== 'coordinator');
  const prepare = (name: string) => async (addresses: readonly string[]) => appendFile(diaryFile, `${name} prepared ${addresses.join()}\n`);
  const supervisor = new Supervisor(
    {
      clock: systemClock,
      start: childStarter(process.execPath, systemClock),
      notice: (line) => notices.push(line),
      onStarted: async (pid) => void pids.push(pid),
      hasOpenItems: () => hasOpenItems,
      hasServed: () => hasServed(notices),
      isConnected: () => isConnected,
      onEnding: (end) => endings.push(end),
    },
    {
      coordinator: child('coordinator'),
      firstArguments: ['first'],
      workers: workers.map((name) => ({ ...child(name), prepare: prepare(name) })),
      drainTimeoutMs,
      waitStoreMs,
    },
  );
  const diary = async (): Promise<readonly string[]> => (await readFile(diaryFile, 'utf8')).split('\n').slice(0, -1);
  const pidOf = async (name: string): Promise<number | undefined> => {
    const started = (await diary()).filter((line) => line.startsWith(`${name} started`)).at(-1);
    return started === undefined ? undefined : Number(started.split(' ')[2]);
  };
  return { supervisor, notices, endings, diary, pidOf };
}
