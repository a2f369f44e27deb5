import { readFileSync } from 'node:fs';
import test from 'ava';
import {
  fileOfTitle,
  isOfProcesses,
  type LanePlan,
  LONGEST,
  LONGEST_ALONE,
  planRun,
  SHARING_CLUSTER,
  titlePrefixOf,
  WAITING,
} from '../../../scripts/lanes.ts';

/** Each file is read for it. */
const ALL = planRun([]);
const CLUSTER = [...ALL.clusterShared, ...ALL.clusterAlone, ...ALL.clusterLast];
const FILES = ['test/unit/ledger/codec.test.ts', 'test/unit/worker/codec.test.ts', 'test/contract/ledger.test.ts'];

test('a title finds its file whatever folders all files share', (t) => {
  t.deepEqual(fileOfTitle('unit › ledger › codec › L9: attempts fit', FILES), { file: FILES[0], title: 'L9: attempts fit' });
  t.deepEqual(fileOfTitle('worker › codec › reads back', FILES.slice(0, 2)), { file: FILES[1], title: 'reads back' });
  t.deepEqual(fileOfTitle('reads back', FILES.slice(0, 1)), { file: FILES[0], title: 'reads back' });
});

test('a title that was prefixed for a shared process finds its file, also where that is the only one', (t) => {
  const title = `${titlePrefixOf(FILES[0] ?? '')}L9: attempts fit`;
  t.deepEqual(fileOfTitle(title, FILES), { file: FILES[0], title: 'L9: attempts fit' });
  t.deepEqual(fileOfTitle(title, FILES.slice(0, 1)), { file: FILES[0], title: 'L9: attempts fit' });
});

test('a title of no known file is kept whole', (t) => {
  t.deepEqual(fileOfTitle('No tests found in x.ts', FILES), { file: null, title: 'No tests found in x.ts' });
});

const filesOf = (plans: readonly LanePlan[]): readonly string[] => plans.flatMap((plan) => plan.files);

function planOf(name: string): readonly string[] {
  return ALL.working.find((plan) => plan.name === name)?.files ?? [];
}

test('every test file runs exactly once, and those of integration, e2e, cluster and chart as tests of processes', (t) => {
  const { working, waiting } = ALL;
  const files = [working, waiting, CLUSTER].flatMap(filesOf);
  t.is(new Set(files).size, files.length);
  t.true(files.length > 100);
  t.true(files.includes('test/unit/scripts/lanes.test.ts'));
  const ofProcesses = [...working.filter(({ name }) => name === 'processes'), ...waiting, ...CLUSTER];
  t.deepEqual(filesOf(ofProcesses).toSorted(), files.filter(isOfProcesses).toSorted());
  t.true(files.filter(isOfProcesses).every((file) => /^test\/(?:chart|cluster|e2e|integration)\//.test(file)));
  t.true(ofProcesses.every((plan) => plan.isSerial));
});

test('the files of test/cluster and test/chart, and no others, wait for the cluster that they share', (t) => {
  const files = filesOf(CLUSTER);
  t.true(files.includes('test/cluster/cluster.test.ts'));
  t.deepEqual(
    files.filter((file) => !/^test\/(?:chart|cluster)\//.test(file)),
    [],
  );
  t.like(planRun(['test/cluster']), { working: [], waiting: [] });
  t.like(planRun(['test/unit/scripts']), { clusterShared: [], clusterAlone: [], clusterLast: [] });
});

test('the rights of the operator are looked at when all others have used them', (t) => {
  t.deepEqual(filesOf(ALL.clusterLast), ['test/cluster/rights.test.ts']);
});

test('of those that have a cluster to themselves the longest are taken first', (t) => {
  t.deepEqual(filesOf(ALL.clusterAlone).slice(0, LONGEST_ALONE.length), LONGEST_ALONE);
  t.true(ALL.clusterAlone.every(({ files }) => files.length === 1));
});

/** What others on the cluster would feel, or what a test has to itself. */
const DISTURBS: Readonly<Record<string, RegExp>> = {
  'takes away, starts or tags a node, or the API': /\.(?:killNode|startNode|untilNode|stopApi|startApi|tagImage)\(/,
  'marks nodes': /\b(?:markNode|taint|untaint|cordon|uncordon|drain)\b/,
  'puts in another operator': /\b(?:installNamespaced|installChart|uninstallOperator|rollBack)\b/,
  'gives the operator values of its own': /\binstallOperator\(\w+, \w+,|\bworkingRun\([^;]*, (?:\.\.\.|'[^']*=)/,
  'looks at, or kills, the operator itself': /\b(?:leaderIn|operatorPid|podOf|untilAnotherLeads|residentBytes)\b/,
  'starts programs that change the cluster': /\bspawn\w*\(|\.helm\(/,
};
/** Modules of test/support/cluster that reach beyond a namespace by nothing but what DISTURBS names. Whoever adds one has looked. */
const HARMLESS = new Set([
  ...['api', 'audit', 'cert-manager', 'children', 'going-run', 'namespace', 'operator', 'pod', 'process', 'recorded-parts', 'redis-stage'],
  ...['rollout-run', 'scripts', 'start-cluster', 'until-seen', 'working-run'],
]);

function disturbancesOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8');
  const helpers = [...text.matchAll(/'\.\.\/support\/cluster\/(.+)\.ts'/g)].map(([, name = '']) => name);
  const others = helpers.filter((name) => !HARMLESS.has(name));
  return [...Object.keys(DISTURBS).filter((what) => DISTURBS[what]?.test(text) === true), ...others];
}

test('files that share the cluster leave alone what the others need; those that disturb are known by the same words', (t) => {
  t.deepEqual(filesOf(ALL.clusterShared), SHARING_CLUSTER);
  for (const file of SHARING_CLUSTER) t.deepEqual(disturbancesOf(file), [], file);
  for (const name of [
    'cluster-faults',
    'crd',
    'deletion-faults',
    'disruption',
    'many-runs',
    'operator-faults',
    'page',
    'signals',
    'upgrade',
  ])
    t.not(disturbancesOf(`test/cluster/${name}.test.ts`).length, 0, name);
  t.true(ALL.clusterShared.every(({ files }) => files.length === 1));
});

test('files that only compute share a process, and none that reaches out of it does', (t) => {
  const together = planOf('pure');
  t.true(together.length > 80, `only ${together.length} files share a process`);
  t.true(together.includes('test/unit/ledger/codec.test.ts'));
  const reaching = ['test/unit/base/clock.test.ts', 'test/unit/worker/backends/openai.test.ts', 'test/unit/results/log/log.test.ts'];
  t.deepEqual(
    together.filter((file) => reaching.includes(file) || !file.startsWith('test/unit/')),
    [],
  );
});

test('files that leave their process as it was share another one, and none whose subject is the process does', (t) => {
  const tidy = planOf('tidy');
  for (const file of ['test/unit/results/log/log.test.ts', 'test/style/imports.test.ts', 'test/contract/ledger-memory.test.ts'])
    t.true(tidy.includes(file), file);
  t.deepEqual(
    tidy.filter((file) => file.startsWith('test/unit/base/process/') || file.startsWith('test/sim/')),
    [],
  );
});

test('files of process tests share the processes of some groups, but for the longest and those that change their process', (t) => {
  const groups = [...ALL.working, ...ALL.waiting].filter((plan) => plan.name === 'processes' && plan.isTogether);
  t.true(groups.length > 1 && groups.every((plan) => plan.files.length > 1));
  t.deepEqual(
    filesOf(groups).filter((file) => LONGEST.includes(file)),
    [],
  );
  t.false(filesOf(groups).includes('test/integration/output-taken.test.ts'), 'it changes the umask of its process');
});

test('the longest are taken first, and those that wait have lanes of their own; all of them are there', (t) => {
  const { working, waiting } = ALL;
  const taken = filesOf(working.filter((plan) => plan.name === 'processes'));
  t.deepEqual(taken.slice(0, LONGEST.length), LONGEST);
  t.deepEqual(filesOf(waiting).toSorted(), WAITING.toSorted());
  t.true(working.findIndex((plan) => plan.name === 'swarm') < 3, 'it takes minutes');
});

test('a path where nothing is gives nothing to run', (t) => {
  t.deepEqual(planRun(['test/no-such-folder']), { working: [], waiting: [], clusterShared: [], clusterAlone: [], clusterLast: [] });
});
