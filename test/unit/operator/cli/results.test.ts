import { createHash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../../../operator/kube/kind.ts';
import { EPOCH_VARIABLE } from '../../../../operator/rollout/desired/reader-pod.ts';
import { coordinatorPodOf } from '../../../support/operator/pods.ts';
import { CONFIG_MAPS, PODS, Stage } from '../../../support/operator/rollout-run.ts';
import { conditionsOf } from '../../../support/operator/run-world.ts';

const COMPLETE = conditionsOf({ Complete: 'True', Failed: 'False' });
const FAILED = conditionsOf({ Complete: 'False', Failed: 'True' });
const COUNTS = { phase: 'Failed', progress: '3/10', items: { total: 10, done: 2, failed: 1, running: 0 } };
const READER = { metadata: { name: 'answers-reader', namespace: 'team' }, spec: { containers: [{ name: 'rollout-reader' }] } };
const CONFIG = { 'reader.json': JSON.stringify(READER), 'partial-reader.json': JSON.stringify(READER) };

interface Page {
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const file = (body: string): Page => ({ body, headers: { 'x-content-sha256': createHash('sha256').update(body).digest('hex') } });

/** A cluster with the run, whose reader shows these pages as soon as it is made. */
async function stageWith(t: ExecutionContext, pages: Readonly<Record<string, Page>>, config: object = CONFIG): Promise<Stage> {
  const stage = await Stage.open(t);
  stage.server.put(CONFIG_MAPS, { metadata: { name: 'answers-config', namespace: 'team' }, data: config } as never);
  stage.server.answering.push(({ method, path }, response) => {
    if (method === 'GET' && path === `${PODS}/answers-reader` && stage.server.objects.has(path)) {
      response.end(JSON.stringify({ ...READER, status: { conditions: [{ type: 'Ready', status: 'True' }] } }));
      return true;
    }
    const page = /\/pods\/answers-reader:8080\/proxy\/[0-9a-f]{48}\/([a-z-]+)$/.exec(path)?.[1];
    if (page === undefined) return undefined;
    const found = pages[page];
    response.writeHead(found === undefined ? 404 : 200, found?.headers ?? { 'x-exit-code': '0' });
    response.end(found?.body ?? 'nothing is here\n');
    return true;
  });
  return stage;
}

const isGone = ({ server }: Stage): boolean => !server.objects.has(`${PODS}/answers-reader`);

test('the output of a complete run is proved, copied, and its reader is gone', async (t) => {
  const stage = await stageWith(t, { verify: { body: '{}', headers: { 'x-exit-code': '0' } }, output: file('{"a":1}\n') });
  stage.putRun({}, { ...COUNTS, conditions: COMPLETE });
  const { exit, out, err } = await stage.run(['results', 'answers']);
  t.is(exit, 0, err);
  t.is(out, '{"a":1}\n');
  t.regex(err, /each line of the input is in exactly one of the two files/);
  t.true(isGone(stage));
});

test('a proof that does not hold ends with 6, and nothing is written', async (t) => {
  const stage = await stageWith(t, { verify: { body: '{"isProven":false}', headers: { 'x-exit-code': '6' } } });
  stage.putRun({}, { ...COUNTS, conditions: COMPLETE });
  const { exit, out, err } = await stage.run(['results', 'answers']);
  t.deepEqual([exit, out], [6, '']);
  t.regex(err, /NOT verified/);
});

test('--partial: what a failed run has recorded, and how many of how many', async (t) => {
  const results = { body: '{"done":2,"failed":1,"lost":0}\n', headers: { 'x-exit-code': '0' } };
  const stage = await stageWith(t, { results, output: file('{"a":1}\n{"a":2}\n'), errors: file('{"b":1}\n') });
  stage.putRun({}, { ...COUNTS, conditions: FAILED });
  const whole = await stage.run(['results', 'answers']);
  t.is(whole.exit, 2);
  t.regex(whole.err, /answers has failed .*--partial writes what it has recorded/);
  const part = await stage.run(['results', 'answers', '--partial']);
  t.deepEqual([part.exit, part.out], [0, '{"a":1}\n{"a":2}\n']);
  t.regex(part.err, /answers: 3 of 10 items are recorded, 2 with a result and 1 as failed/);
  t.is((await stage.run(['results', 'answers', '--partial', '--errors'])).out, '{"b":1}\n');
  t.true(isGone(stage));
});

test('--partial ends with 6 where recorded results are damaged, after the others are written', async (t) => {
  const results = { body: '{"done":1,"failed":0,"lost":1}\n', headers: { 'x-exit-code': '6' } };
  const stage = await stageWith(t, { results, output: file('{"a":1}\n') });
  stage.putRun({}, { ...COUNTS, conditions: FAILED });
  const { exit, out, err } = await stage.run(['results', 'answers', '--partial']);
  t.deepEqual([exit, out], [6, '{"a":1}\n']);
  t.regex(err, /NOT all: of 1 more the record is damaged/);
});

test('--remaining and --failed: lines of the list, and how many', async (t) => {
  const listed = { body: '{"lines":7,"notItems":1,"form":"batch"}\n', headers: { 'x-exit-code': '0' } };
  for (const [args, page] of [
    [['--remaining'], 'remaining'],
    [['--failed'], 'failed'],
    [['--failed', '--remaining'], 'remaining-failed'],
  ] as const) {
    const stage = await stageWith(t, { [page]: listed, list: file('{"custom_id":"x"}\n') });
    stage.putRun({}, { ...COUNTS, conditions: FAILED });
    const { exit, out, err } = await stage.run(['results', 'answers', ...args]);
    t.deepEqual([exit, out], [0, '{"custom_id":"x"}\n'], err);
    t.regex(err, /answers: 7 lines for another run\nanswers: 1 line left out/);
  }
});

test('a run that goes on is left alone', async (t) => {
  const stage = await stageWith(t, {});
  stage.putRun({}, { ...COUNTS, phase: 'Running' });
  stage.server.put(PODS, coordinatorPodOf());
  const { exit, err } = await stage.run(['results', 'answers', '--partial']);
  t.is(exit, 2);
  t.regex(err, /suspend it first/);
  t.deepEqual(stage.server.changes, []);
});

test('a file that was cut on its way is no result, and one that an older operator made no reader of is told as that', async (t) => {
  const results = { body: '{"done":2,"failed":1,"lost":0}\n', headers: { 'x-exit-code': '0' } };
  const cut = await stageWith(t, { results, output: { ...file('{"a":1}\n'), body: '{"a"' } });
  cut.putRun({}, { ...COUNTS, conditions: FAILED });
  const { exit, err } = await cut.run(['results', 'answers', '--partial']);
  t.is(exit, 4);
  t.regex(err, /cut or changed on its way/);
  t.true(isGone(cut));
  const older = await stageWith(t, {}, { 'reader.json': JSON.stringify(READER) });
  older.putRun({}, { ...COUNTS, conditions: FAILED });
  const told = await older.run(['results', 'answers', '--partial']);
  t.is(told.exit, 2);
  t.regex(told.err, /answers-config has no partial-reader\.json/);
});

test('the reader is told the highest epoch that is known of the run, so that an empty ledger is not taken for it', async (t) => {
  const results = { body: '{"done":0,"failed":0,"lost":0}\n', headers: { 'x-exit-code': '0' } };
  const counts = { total: 10, done: 2, failed: 1, running: 0 };
  for (const [status, epoch] of [
    [{ items: counts, coordinator: { epoch: 4 } }, '4'],
    [{ items: counts }, '0'],
    [{}, '-1'],
  ] as const) {
    const stage = await stageWith(t, { results, output: file('') });
    stage.putRun({}, { phase: 'Failed', conditions: FAILED, ...status });
    const { exit, err } = await stage.run(['results', 'answers', '--partial']);
    t.is(exit, 0, err);
    const made = stage.server.asked.find(({ method, path }) => method === 'POST' && path === PODS);
    const env = (JSON.parse(made?.body ?? '{}') as Pod).spec?.containers[0]?.env ?? [];
    t.is(env.find(({ name }) => name === EPOCH_VARIABLE)?.value, epoch);
  }
});
