import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { parseAllDocuments } from 'yaml';
import { refuse } from '../../../support/operator/kube-server.ts';
import { CONFIG_MAPS, RUNS, Stage } from '../../../support/operator/rollout-run.ts';

const line = (id: string, content = 'a'): string =>
  JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body: { messages: [{ role: 'user', content }] } });
const ITEMS = `${line('a')}\n${line('b')}\n`;
const CREATE = ['create', 'answers', '-f', 'items.jsonl', '--model-image', 'registry/model:1'];

async function stageWith(t: Parameters<typeof Stage.open>[0], items: string | Buffer = ITEMS): Promise<Stage> {
  const stage = await Stage.open(t);
  stage.write('items.jsonl', items);
  return stage;
}

interface Made {
  readonly metadata: { readonly ownerReferences?: readonly object[] };
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly spec: { readonly workers: { readonly parallelism: number } };
}

const made = (stage: Stage, path: string): Made | undefined => stage.server.objects.get(path) as unknown as Made | undefined;

test('a list becomes a ConfigMap and a run, which owns it', async (t) => {
  const stage = await stageWith(t);
  const { exit, out, err } = await stage.run([...CREATE, '--parallelism', '4']);
  t.is(exit, 0, err);
  t.is(out, 'configmap/answers-items created (2 items)\nrolloutrun.rollout.run/answers created\n');
  t.is(err, 'watch it with `kubectl rollout-run status answers -n team --watch`\n');
  t.deepEqual(made(stage, `${CONFIG_MAPS}/answers-items`)?.data, { 'items.jsonl': ITEMS });
  t.like(made(stage, `${CONFIG_MAPS}/answers-items`)?.metadata.ownerReferences?.[0], {
    kind: 'RolloutRun',
    name: 'answers',
    uid: 'uid-answers',
  });
  t.is(made(stage, `${RUNS}/answers`)?.spec.workers.parallelism, 4);
  t.deepEqual(
    stage.server.changes.map((one) => one.split('?')[0]),
    [`POST ${CONFIG_MAPS}`, `POST ${RUNS}`, `PATCH ${CONFIG_MAPS}/answers-items`],
  );
});

test('with --json it says what it has made', async (t) => {
  const { out } = await (await stageWith(t)).run([...CREATE, '--json']);
  t.deepEqual(JSON.parse(out), { run: 'answers', namespace: 'team', configMap: 'answers-items', items: 2, bad: 0 });
});

test('standard input is a list too', async (t) => {
  const stage = await Stage.open(t);
  const { exit } = await stage.run(['create', 'answers', '-f', '-', '--model-image', 'm'], { input: ITEMS });
  t.is(exit, 0);
  t.deepEqual(made(stage, `${CONFIG_MAPS}/answers-items`)?.data, { 'items.jsonl': ITEMS });
});

test('--dry-run prints manifests that kubectl can apply, and asks nobody', async (t) => {
  const stage = await stageWith(t);
  for (const flag of ['--dry-run', '--dry-run=client']) {
    const { exit, out } = await stage.run([...CREATE, flag], { nodeVersion: '20.19.0' });
    t.is(exit, 0);
    const [list, run] = parseAllDocuments(out).map((document) => document.toJS() as Made & { readonly kind: string });
    t.like(list, { kind: 'ConfigMap', metadata: { name: 'answers-items' }, data: { 'items.jsonl': ITEMS } });
    t.like(run, { kind: 'RolloutRun', metadata: { name: 'answers' }, spec: { input: { configMap: { name: 'answers-items' } } } });
  }
  t.deepEqual(stage.server.asked, []);
});

test('--dry-run=server asks the server and changes nothing', async (t) => {
  const stage = await stageWith(t);
  const { exit, out } = await stage.run([...CREATE, '--dry-run=server']);
  t.is(exit, 0);
  t.is(out, 'configmap/answers-items would be created\nrolloutrun.rollout.run/answers would be created\n');
  t.is(stage.server.objects.size, 0);
  t.true(stage.server.changes.every((one) => one.includes('dryRun=All')));
});

test('what the server would refuse is told, with nothing changed', async (t) => {
  const stage = await stageWith(t);
  stage.server.answering.push(({ method, path }, response) => {
    if (method !== 'POST' || !path.startsWith(RUNS)) return undefined;
    refuse(response, 422, 'Invalid', 'invalid', { causes: [{ field: 'spec.input', message: 'no' }] });
    return true;
  });
  const { exit, err } = await stage.run([...CREATE, '--dry-run=server']);
  t.is(exit, 2);
  t.is(err, 'rollout-run: the API server would refuse it:\n  spec.input: no\n');
});

test('a list that is too large as text is packed, and a run unpacks it', async (t) => {
  const items = Array.from({ length: 3_000 }, (_, at) => line(String(at), 'word '.repeat(80))).join('\n');
  const stage = await stageWith(t, items);
  t.true(items.length > 2 ** 20);
  const { exit, err } = await stage.run(CREATE);
  t.is(exit, 0, err);
  const { data, binaryData } = made(stage, `${CONFIG_MAPS}/answers-items`) ?? {};
  t.is(data, undefined);
  t.is(gunzipSync(Buffer.from(binaryData?.['items.jsonl'] ?? '', 'base64')).toString(), items);
});

test('a list that is too large for any ConfigMap: where such a list belongs', async (t) => {
  let seed = 1;
  const word = (): string => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed.toString(36);
  };
  const items = Array.from({ length: 3_000 }, (_, at) => line(String(at), Array.from({ length: 90 }, word).join(' '))).join('\n');
  const stage = await stageWith(t, items);
  const { exit, err } = await stage.run(CREATE);
  t.is(exit, 2);
  t.regex(err, /items\.jsonl has 2\.\d MiB, and .* as gzip, and a ConfigMap holds 900\.0 KiB: .*spec\.input\.pvc.*spec\.input\.uri/);
  t.deepEqual(stage.server.asked, []);
});

test('bad lines are told, and a list of nothing else is refused', async (t) => {
  const some = await (await stageWith(t, `${ITEMS}not JSON\n`)).run(CREATE);
  t.is(some.exit, 0);
  t.regex(some.err, /1 bad line will be recorded as failed \(the first is line 3: the line is not JSON/);
  const stage = await stageWith(t, 'not JSON\n');
  const none = await stage.run(CREATE);
  t.is(none.exit, 2);
  t.regex(none.err, /items\.jsonl has no item: line 1: invalid_json: .*Nothing was created/);
  t.deepEqual(stage.server.asked, []);
});

test('the manifest of another run is its template, and may name the input itself', async (t) => {
  const stage = await Stage.open(t);
  stage.write(
    'run.yaml',
    'apiVersion: rollout.run/v1alpha1\nkind: RolloutRun\nmetadata: {name: other}\nspec:\n  input: {pvc: {claimName: data, path: a.jsonl}}\n  backend: {type: mock}\n',
  );
  const { exit, out } = await stage.run(['create', 'answers', '--from-run-file', 'run.yaml', '--parallelism', '3']);
  t.is(exit, 0);
  t.is(out, 'rolloutrun.rollout.run/answers created\n');
  t.like(made(stage, `${RUNS}/answers`)?.spec, { input: { pvc: { claimName: 'data' } }, workers: { parallelism: 3 } });
});

test('a template with mistakes is refused before anything is asked', async (t) => {
  const stage = await stageWith(t);
  stage.write(
    'run.yaml',
    'apiVersion: rollout.run/v1alpha1\nkind: RolloutRun\nmetadata: {name: other}\nspec: {backend: {type: mock}, suspended: true}\n',
  );
  const { exit, err } = await stage.run(['create', 'answers', '-f', 'items.jsonl', '--from-run-file', 'run.yaml']);
  t.is(exit, 2);
  t.is(
    err,
    'rollout-run: the run would not be allowed:\n  `spec.suspended` is not known: did you mean `suspend`?\n`kubectl rollout-run validate -f run.yaml` shows their lines\n',
  );
  t.deepEqual(stage.server.asked, []);
});

test('files that are not there, or hold no run or several', async (t) => {
  const stage = await stageWith(t);
  t.regex((await stage.run(['create', 'a', '-f', 'none', '--model-image', 'm'])).err, /cannot read none: there is no such file/);
  stage.write('list.yaml', 'kind: ConfigMap\n');
  t.regex((await stage.run(['create', 'a', '--from-run-file', 'list.yaml'])).err, /there is no RolloutRun in list\.yaml/);
  stage.write('two.yaml', 'kind: RolloutRun\n---\nkind: RolloutRun\n');
  t.regex((await stage.run(['create', 'a', '--from-run-file', 'two.yaml'])).err, /there are 2 RolloutRuns in two\.yaml/);
});

test('a name that is taken leaves no list behind', async (t) => {
  const stage = await stageWith(t);
  stage.putRun();
  const { exit, err } = await stage.run(CREATE);
  t.is(exit, 2);
  t.regex(err, /rolloutruns "answers" already exists: choose another name/);
  t.false(stage.server.objects.has(`${CONFIG_MAPS}/answers-items`));
});

test('a list that is there already is left as it is', async (t) => {
  const stage = await stageWith(t);
  stage.server.put(CONFIG_MAPS, { metadata: { name: 'answers-items' } });
  const { exit, err } = await stage.run(CREATE);
  t.is(exit, 2);
  t.regex(err, /configmaps "answers-items" already exists/);
  t.true(stage.server.objects.has(`${CONFIG_MAPS}/answers-items`));
  t.false(stage.server.objects.has(`${RUNS}/answers`));
});

test('a name that no run may have is refused with the rule', async (t) => {
  const { exit, err } = await (await stageWith(t)).run(['create', '1answers', '-f', 'items.jsonl', '--model-image', 'm']);
  t.is(exit, 2);
  t.regex(err, /metadata\.name must begin with a lower-case letter/);
});
