import { gzipSync } from 'node:zlib';
import test from 'ava';
import { refuse } from '../../../support/operator/kube-server.ts';
import { RUNS, Stage } from '../../../support/operator/rollout-run.ts';

const RUN = `apiVersion: rollout.run/v1alpha1
kind: RolloutRun
metadata:
  name: answers
spec:
  input:
    configMap: {name: prompts}
  backend: {type: mock}
  workers:
    parallelism: 2
`;
const LIST = `apiVersion: v1
kind: ConfigMap
metadata: {name: prompts}
data:
  items.jsonl: |
    {"custom_id": "a", "url": "/v1/x", "body": {}}
    {"custom_id": "a", "url": "/v1/x", "body": {}}
`;
const ITEM = '{"custom_id": "a", "url": "/v1/x", "body": {}}\n';

test('a manifest without a mistake, and what is not a run in it', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', `kind: Secret\n---\n${RUN}`);
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml']);
  t.is(exit, 0);
  t.is(out, 'run.yaml:3: RolloutRun answers is valid\nrun.yaml:1: Secret is left to kubectl\n');
  t.deepEqual(stage.server.asked, []);
});

test('each mistake with its file, line, field and what to do', async (t) => {
  const stage = await Stage.open(t);
  stage.write(
    'run.yaml',
    `${RUN.replace('parallelism: 2', 'parallelism: two\n    paralellism: 2')}  output: {pvc: {claimName: data, path: /a}}\n`,
  );
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml']);
  t.is(exit, 2);
  t.deepEqual(out.trimEnd().split('\n'), [
    'run.yaml:10: `spec.workers.parallelism` must be a whole number from 0 to 10000, but is "two"',
    'run.yaml:11: `spec.workers.paralellism` is not known: did you mean `parallelism`?',
    "run.yaml:12: `spec.output.pvc.path` must be a path below the root of the volume: write it without '/' at its start and without '..'",
  ]);
});

test('with --json the mistakes are data', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', RUN.replace('parallelism: 2', 'parallelism: -1'));
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml', '--json']);
  t.is(exit, 2);
  t.deepEqual(JSON.parse(out), {
    isValid: false,
    mistakes: [
      {
        file: 'run.yaml',
        line: 10,
        field: 'spec.workers.parallelism',
        message: '`spec.workers.parallelism` must be a whole number from 0 to 10000, but is -1',
      },
    ],
  });
});

test('YAML that is none, a file without a run, and one that is not there', async (t) => {
  const stage = await Stage.open(t);
  stage.write('bad.yaml', 'kind: RolloutRun\nkind: RolloutRun\n');
  t.regex((await stage.run(['validate', '-f', 'bad.yaml'])).out, /^bad\.yaml:2: .*unique/);
  stage.write('other.yaml', 'kind: Secret\n');
  const other = await stage.run(['validate', '-f', 'other.yaml']);
  t.is(other.exit, 2);
  t.regex(other.out, /^other\.yaml: there is no RolloutRun in it\n/);
  const none = await stage.run(['validate', '-f', 'none.yaml']);
  t.is(none.exit, 2);
  t.regex(none.err, /cannot read none\.yaml: there is no such file/);
});

test('a manifest may come by standard input; without anything to check it is usage', async (t) => {
  const stage = await Stage.open(t);
  t.is((await stage.run(['validate', '-f', '-'], { input: RUN })).out, 'standard input:1: RolloutRun answers is valid\n');
  const nothing = await stage.run(['validate']);
  t.is(nothing.exit, 2);
  t.regex(nothing.err, /give a manifest with -f, or a list with --items/);
  t.regex((await stage.run(['validate', '-f', '-', '--items', '-'])).err, /standard input is one file/);
});

test('a list in the same file is checked, with the lines of the file', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', `${RUN}---\n${LIST}`);
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml']);
  t.is(exit, 2);
  t.regex(out, /^run\.yaml:18: duplicate_custom_id: custom_id was used before, on line 1/m);
  t.regex(out, /^run\.yaml:16: 1 item, and 1 bad line: /m);
});

test('a ConfigMap of the same file without the key', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', `${RUN}---\n${LIST.replace('items.jsonl', 'other.jsonl')}`);
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml']);
  t.is(exit, 2);
  t.regex(out, /^run\.yaml:7: spec\.input\.configMap names a key that the ConfigMap of this file does not have; it has other\.jsonl/m);
});

test('a list is checked line by line, plain or packed', async (t) => {
  const stage = await Stage.open(t);
  stage.write('items.jsonl', `${ITEM}not JSON\n${ITEM}`);
  stage.write('items.jsonl.gz', gzipSync(`${ITEM}not JSON\n${ITEM}`));
  for (const file of ['items.jsonl', 'items.jsonl.gz']) {
    const { exit, out } = await stage.run(['validate', '--items', file]);
    t.is(exit, 2);
    const [first, second, last] = out.split('\n');
    t.true(first?.startsWith(`${file}:2: invalid_json: the line is not JSON`), first);
    t.true(second?.startsWith(`${file}:3: duplicate_custom_id: `), second);
    t.true(last?.startsWith(`${file}: 1 item, and 2 bad lines: `), last);
  }
});

test('a good list, one of plain values, and one that is none', async (t) => {
  const stage = await Stage.open(t);
  stage.write('items.jsonl', ITEM);
  t.deepEqual(await stage.run(['validate', '--items', 'items.jsonl']), { exit: 0, out: 'items.jsonl: 1 item\n', err: '' });
  stage.write('raw.jsonl', '1\n"a"\n');
  t.is((await stage.run(['validate', '--items', 'raw.jsonl'])).exit, 2);
  t.deepEqual(await stage.run(['validate', '--items', 'raw.jsonl', '--raw']), { exit: 0, out: 'raw.jsonl: 2 items\n', err: '' });
  stage.write('run.yaml', `${RUN}  format: {raw: true}\n`);
  t.is((await stage.run(['validate', '-f', 'run.yaml', '--items', 'raw.jsonl'])).exit, 0);
  stage.write('list.json', `[\n${ITEM.trim()}\n]\n`);
  const list = await stage.run(['validate', '--items', 'list.json']);
  t.is(list.exit, 2);
  t.regex(list.err, /list\.json is one JSON list.*jq -c/);
  stage.write('empty.jsonl', '');
  t.is((await stage.run(['validate', '--items', 'empty.jsonl'])).out, 'empty.jsonl: the list is empty\n');
});

test('--server asks the server as kubectl apply would, and changes nothing', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', RUN);
  const { exit } = await stage.run(['validate', '-f', 'run.yaml', '--server']);
  t.is(exit, 0);
  t.deepEqual(stage.server.changes, [
    `PATCH ${RUNS}/answers?dryRun=All&fieldValidation=Strict&fieldManager=kubectl-rollout-run&force=true`,
  ]);
});

test('what the server refuses stands at the line of its field', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', RUN);
  stage.server.answering.push(({ method }, response) => {
    if (method !== 'PATCH') return undefined;
    const causes = [{ reason: 'FieldValueForbidden', field: 'spec.input', message: 'Forbidden: spec.input cannot be changed' }];
    refuse(response, 422, 'Invalid', 'invalid', { causes });
    return true;
  });
  const { exit, out } = await stage.run(['validate', '-f', 'run.yaml', '--server']);
  t.is(exit, 2);
  t.regex(out, /^run\.yaml:6: spec\.input: Forbidden: spec\.input cannot be changed$/m);
});

test('a server that forbids to ask is no mistake of the manifest', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', RUN);
  stage.server.answering.push((_, response) => {
    refuse(response, 403, 'Forbidden', 'User "bob" cannot patch resource "rolloutruns" in API group "rollout.run" in the namespace "team"');
    return true;
  });
  const { exit, err } = await stage.run(['validate', '-f', 'run.yaml', '--server']);
  t.is(exit, 2);
  t.regex(err, /bob may not patch rolloutruns/);
});

test('a run whose name the server makes is asked about as a new one', async (t) => {
  const stage = await Stage.open(t);
  stage.write('run.yaml', RUN.replace('name: answers', 'generateName: answers-'));
  t.is((await stage.run(['validate', '-f', 'run.yaml', '--server'])).exit, 0);
  t.deepEqual(stage.server.changes, [`POST ${RUNS}?dryRun=All&fieldValidation=Strict&fieldManager=kubectl-rollout-run`]);
});
