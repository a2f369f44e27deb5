import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { SIGNAL_ROWS } from '../../../operator/nodes/signals.ts';
import { loadOperatorSettings, type OperatorSettings } from '../../../operator/settings.ts';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

async function load(t: ExecutionContext, yaml: string): Promise<OperatorSettings> {
  const path = join(temporaryDir(t), 'operator.yaml');
  writeFileSync(path, yaml);
  return loadOperatorSettings(path);
}

async function mistakesIn(t: ExecutionContext, yaml: string): Promise<readonly string[]> {
  const error = await t.throwsAsync(load(t, yaml), { instanceOf: RolloutError, code: 'CONFIG_INVALID' });
  return (error?.message ?? '').split('\n').map((line) => line.replace(/^.*operator\.yaml: /, ''));
}

test('the image of the pods is enough: everything else has its default', async (t) => {
  t.deepEqual(await load(t, 'pods: {image: "rollout:1"}\n'), {
    logLevel: 'info',
    runsAtOnce: 16,
    watchNamespaces: [],
    watchNodes: true,
    leaderElection: { enabled: false, lease: 'rollout-operator', leaseDuration: 15_000, renewDeadline: 10_000, retryPeriod: 2_000 },
    metrics: { mode: 'localhost', port: 8_443 },
    probes: { port: 8_081 },
    pods: { image: 'rollout:1', imagePullPolicy: 'IfNotPresent', imagePullSecrets: [], openshift: 'auto', networkPolicy: false },
    certManager: false,
    signals: SIGNAL_ROWS,
  });
});

test('the rows of the user stand before those that there are anyway', async (t) => {
  const { signals } = await load(
    t,
    'pods: {image: x}\nsignals:\n  - {kind: taint, key: example.com/going, severity: drain, leadSeconds: 45}\n',
  );
  t.deepEqual(signals[0], { kind: 'taint', key: 'example.com/going', severity: 'drain', leadSeconds: 45 });
  t.is(signals.length, SIGNAL_ROWS.length + 1);
});

test('all mistakes are told at once, each with its line and its field', async (t) => {
  const mistakes = await mistakesIn(
    t,
    `logLevel: loud
runsAtOnce: 0
pods:
  image: ''
  imagePullPolicy: Sometimes
metrics:
  port: 70000
watchNods: true
signals:
  - {kind: taint, key: x, severity: bad}
`,
  );
  const places = mistakes.map((mistake) => mistake.replace(/^(?:unknown key )?`([^`]+)` at line (\d+).*$/, '$1:$2'));
  t.deepEqual(places.toSorted(), [
    'logLevel:1',
    'metrics.port:7',
    'pods.image:4',
    'pods.imagePullPolicy:5',
    'runsAtOnce:2',
    'signals.0.severity:9',
    'watchNods:8',
  ]);
});

test('what is missing, and a duration that is none, are told by name', async (t) => {
  t.regex((await mistakesIn(t, 'logLevel: info\n')).join(), /`pods`.* is missing/);
  t.regex(
    (await mistakesIn(t, 'pods: {image: x}\nleaderElection: {leaseDuration: 15}\n')).join(),
    /`leaderElection\.leaseDuration` at line 2/,
  );
});

test('times of the election that contradict one another are refused: two would lead', async (t) => {
  const election = (times: string) => `pods: {image: x}\nleaderElection:\n  ${times}\n`;
  t.deepEqual(await mistakesIn(t, election('renewDeadline: 15s')), [
    '`leaderElection.renewDeadline` at line 3 must be less than leaseDuration',
  ]);
  t.deepEqual(await mistakesIn(t, election('retryPeriod: 10s')), [
    '`leaderElection.retryPeriod` at line 3 must be less than renewDeadline',
  ]);
});

test('a file that is not there is a mistake, not a bug', async (t) => {
  await t.throwsAsync(loadOperatorSettings('/no/such/operator.yaml'), { instanceOf: RolloutError, code: 'CONFIG_INVALID' });
});
