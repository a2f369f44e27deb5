import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pureTests, tidyTests } from './pure-tests.ts';

/** Files that one `ava` runs, one file after the other. */
export interface LanePlan {
  readonly name: string;
  readonly files: readonly string[];
  /** The tests within a file one after the other too. */
  readonly isSerial: boolean;
  /** All files in one process. */
  readonly isTogether: boolean;
}

export interface RunPlan {
  /** In the order in which a free lane takes the next one. */
  readonly working: readonly LanePlan[];
  /** Tests of processes that mostly wait: beside all others, two at a time; the lanes that have taken them go on with the others. */
  readonly waiting: readonly LanePlan[];
  /** Tests on a cluster that they share, some files at a time: beside all others, once the cluster runs. */
  readonly clusterShared: readonly LanePlan[];
  /** Tests that take away what others on their cluster need, one file after the other on each: when those that share it have ended. */
  readonly clusterAlone: readonly LanePlan[];
  /** When all of these have ended. */
  readonly clusterLast: readonly LanePlan[];
}

/** The folders whose tests start processes. Every other folder of test/ is inside, so no test file can be forgotten. */
const PROCESS_FOLDERS = ['integration', 'e2e', 'cluster', 'chart'];
/** Those of the chart need Helm, which is built with the cluster's programs. */
const OF_CLUSTER = /^test\/(?:chart|cluster)\//;
const MAY_SHARE = /^test\/(?:unit|style|contract)\//;
/**
 * Each of their tests keeps to a namespace of its own, and to the operator as all tests install it: they leave nodes, operator and API alone.
 * The longest come first.
 */
export const SHARING_CLUSTER: readonly string[] = [
  'test/cluster/redis.test.ts',
  'test/cluster/ends.test.ts',
  'test/cluster/certificates.test.ts',
  'test/cluster/quiet-runs.test.ts',
  'test/cluster/deletion.test.ts',
  'test/cluster/killed-pods.test.ts',
  'test/cluster/run.test.ts',
  'test/cluster/cluster.test.ts',
  'test/cluster/metrics.test.ts',
  'test/cluster/children.test.ts',
  'test/chart/templates.test.ts',
  'test/chart/rights.test.ts',
];
/** The longest of those that have a cluster to themselves, which are begun first: two lanes take them, and end at about the same time. */
export const LONGEST_ALONE: readonly string[] = [
  'test/cluster/disruption.test.ts',
  'test/cluster/signals.test.ts',
  'test/cluster/operator-faults.test.ts',
  'test/cluster/many-runs.test.ts',
  'test/cluster/deletion-faults.test.ts',
  'test/cluster/upgrade.test.ts',
];
/** Holds the rights of the operator against what it has done in all the others: after them. */
const LAST_OF_CLUSTER = 'test/cluster/rights.test.ts';
/** A core of its own for minutes. */
const SWARM = 'test/sim/swarm.test.ts';

/** Half a minute of work and more each: taken first, so that none of them begins when all others have ended. */
export const LONGEST: readonly string[] = [
  'test/e2e/black-box.test.ts',
  'test/e2e/worker-kill.test.ts',
  'test/e2e/interrupt.test.ts',
  'test/e2e/everything-kill.test.ts',
  'test/e2e/coordinator-restart.test.ts',
  'test/e2e/full-disk.test.ts',
  'test/e2e/backend-faults.test.ts',
  'test/e2e/input-changed.test.ts',
  'test/e2e/poison.test.ts',
  'test/e2e/steal.test.ts',
  'test/e2e/herd.test.ts',
  'test/e2e/split-brain.test.ts',
  'test/e2e/damage.test.ts',
  'test/e2e/large-answers.test.ts',
  'test/e2e/large-input.test.ts',
  'test/e2e/bench.test.ts',
  'test/e2e/redis-kills.test.ts',
];
/** Their items, timeouts and deadlines take far longer than their processes work: less than a third of their time. */
export const WAITING: readonly string[] = [
  'test/e2e/redis-ills.test.ts',
  'test/integration/redis-sentinel.test.ts',
  'test/e2e/redis-failover.test.ts',
  'test/integration/redis-cluster-failover.test.ts',
  'test/e2e/all-sick.test.ts',
  'test/e2e/drain.test.ts',
  'test/e2e/sick-server.test.ts',
  'test/e2e/broken-stream.test.ts',
  'test/e2e/overload.test.ts',
  'test/e2e/drain-command.test.ts',
  'test/e2e/paused.test.ts',
  'test/e2e/outage.test.ts',
  'test/e2e/paused-worker.test.ts',
  'test/e2e/finished-run.test.ts',
  'test/e2e/long-item.test.ts',
  'test/e2e/blocked-loop.test.ts',
  'test/e2e/deposed-replies.test.ts',
];

/** `given`: test files and folders of them; none means all. */
export function planRun(given: readonly string[]): RunPlan {
  const files = [...new Set((given.length === 0 ? ['test'] : given).flatMap(testFilesIn))].toSorted();
  const within = files.filter((file) => !isOfProcesses(file) && file !== SWARM);
  const pure = pureTests(within.filter((file) => file.startsWith('test/unit/')));
  const tidy = tidyTests(within.filter((file) => MAY_SHARE.test(file) && !pure.includes(file)));
  const others = within.filter((file) => !pure.includes(file) && !tidy.includes(file));
  const lanes: readonly LanePlan[] = [
    { name: 'pure', files: pure, isSerial: false, isTogether: true },
    { name: 'tidy', files: tidy, isSerial: true, isTogether: true },
    { name: 'swarm', files: files.filter((file) => file === SWARM), isSerial: true, isTogether: false },
    { name: 'inside', files: others, isSerial: false, isTogether: false },
  ];
  const { working, waiting } = inTurn(files.filter((file) => isOfProcesses(file) && !OF_CLUSTER.test(file)));
  const alone = files.filter((file) => OF_CLUSTER.test(file) && !SHARING_CLUSTER.includes(file) && file !== LAST_OF_CLUSTER);
  const longest = LONGEST_ALONE.filter((file) => alone.includes(file));
  return {
    working: [...lanes, ...working].filter(hasFiles),
    waiting,
    clusterShared: SHARING_CLUSTER.filter((file) => files.includes(file)).map(planOfCluster),
    clusterAlone: [...longest, ...alone.filter((file) => !longest.includes(file))].map(planOfCluster),
    clusterLast: files.filter((file) => file === LAST_OF_CLUSTER).map(planOfCluster),
  };
}

/** What runs within one process has no excuse for a failure: only tests of processes are run again. */
export function isOfProcesses(file: string): boolean {
  return PROCESS_FOLDERS.includes(file.split('/')[1] ?? '');
}

function hasFiles({ files }: LanePlan): boolean {
  return files.length > 0;
}

function inTurn(files: readonly string[]): Pick<RunPlan, 'working' | 'waiting'> {
  const given = (list: readonly string[]): readonly string[] => list.filter((file) => files.includes(file));
  const others = files.filter((file) => !LONGEST.includes(file) && !WAITING.includes(file));
  const sharing = tidyTests(others);
  const alone = others.filter((file) => !sharing.includes(file));
  return {
    working: [...given(LONGEST).map(planOfProcesses), ...alone.map(planOfProcesses), ...groupsOf(sharing, GROUPS)],
    waiting: groupsOf(given(WAITING), WAITING_GROUPS),
  };
}

/**
 * A file in a process of its own costs more than a second of CPU before its first test. So few groups that this is little, and so many
 * that the lanes end together.
 */
const GROUPS = 10;
const WAITING_GROUPS = 4;

function groupsOf(files: readonly string[], count: number): readonly LanePlan[] {
  const groups = Array.from({ length: count }, (_, nth) => files.filter((_file, at) => at % count === nth));
  return groups.filter((group) => group.length > 0).map((group) => ({ ...planOfProcesses(''), files: group, isTogether: true }));
}

/** One process test alone. */
export function planOfProcesses(file: string): LanePlan {
  return { name: 'processes', files: [file], isSerial: true, isTogether: false };
}

function planOfCluster(file: string): LanePlan {
  return { ...planOfProcesses(file), name: 'cluster' };
}

export function testFilesIn(path: string): readonly string[] {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return [];
  if (!there.isDirectory()) return [path];
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.test.ts')).map((name) => join(path, name));
}

const SEPARATOR = ' › ';

/**
 * The file that a TAP title belongs to. ava puts the file's path before the title, without the folders that all files of the run
 * share, and without the endings; of a single file it puts nothing.
 */
export function fileOfTitle(title: string, files: readonly string[]): { readonly file: string | null; readonly title: string } {
  let best: { file: string | null; title: string } = { file: files.length === 1 ? (files[0] ?? null) : null, title };
  for (const file of files) {
    const parts = partsOf(file);
    for (let from = 0; from < parts.length; from++) {
      const prefix = parts.slice(from).join(SEPARATOR) + SEPARATOR;
      if (title.startsWith(prefix) && title.length - prefix.length < best.title.length) best = { file, title: title.slice(prefix.length) };
    }
  }
  return best;
}

/** What stands before the titles of a file whose tests run in one process with those of others. */
export function titlePrefixOf(file: string): string {
  return partsOf(file).join(SEPARATOR) + SEPARATOR;
}

function partsOf(file: string): readonly string[] {
  return file.replace(/\.test\.ts$/, '').split('/');
}

/** Titles written down in a test file; one that is put together when it runs is not found. */
export function titlesIn(file: string, folder = '.'): readonly string[] {
  const calls = readFileSync(join(folder, file), 'utf8').matchAll(/^\s*test(?:\.\w+)*\(\s*(['"`])(.+?)\1/gm);
  return [...calls].map((call) => call[2] ?? '');
}
