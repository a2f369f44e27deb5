import { readdirSync } from 'node:fs';
import test from 'ava';
import { documentsIn } from '../../../../../operator/cli/manifest/documents.ts';
import { isMeantAsRun, isRaw, runMistakes } from '../../../../../operator/cli/manifest/run-check.ts';
import { mistakeText } from '../../../../../operator/cli/manifest/schema-check.ts';
import { readText } from '../../../../style/sources.ts';

const SPEC = { input: { configMap: { name: 'prompts' } }, backend: { type: 'mock' } };
const RUN = { apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', metadata: { name: 'a' }, spec: SPEC };

const said = (run: Record<string, unknown>): readonly string[] => runMistakes(run).map(mistakeText);

test('each example of the project has no mistake', (t) => {
  const paths = readdirSync('examples').filter((name) => name.endsWith('.yaml'));
  t.true(paths.length >= 6);
  for (const path of paths) {
    const runs = documentsIn(readText(`examples/${path}`) ?? '').manifests.filter(({ value }) => isMeantAsRun(value));
    t.is(runs.length, 1, path);
    for (const { value } of runs) t.deepEqual(runMistakes(value).map(mistakeText), [], path);
  }
});

test('a kind and a version that are not quite those of a run are told', (t) => {
  t.deepEqual(said({ ...RUN, kind: 'RollouRun', apiVersion: 'rollout.run/v1' }), [
    '`kind` must be RolloutRun',
    '`apiVersion` must be rollout.run/v1alpha1',
  ]);
});

test('a run has a name, or has one made', (t) => {
  t.deepEqual(said({ ...RUN, metadata: {} }), ['`metadata.name` is missing: give the run a name']);
  t.deepEqual(said({ ...RUN, metadata: undefined }), ['`metadata` is missing: give the run a name in `metadata.name`']);
  t.deepEqual(said({ ...RUN, metadata: { generateName: 'a-' } }), []);
});

test('metadata is checked as that of any kind', (t) => {
  t.deepEqual(said({ ...RUN, metadata: { name: 'a', label: {}, labels: { team: 5 }, creationTimestamp: null } }), [
    '`metadata.label` is not known: did you mean `labels`?',
    '`metadata.labels.team` must be a text, but is 5: put it in quotes',
  ]);
});

test('a spec that is missing, and one that is empty', (t) => {
  t.deepEqual(said({ ...RUN, spec: undefined }), ['`spec` is missing: give it a block of fields']);
  t.deepEqual(said({ ...RUN, spec: null }), ['`spec` is empty: give it a block of fields, or remove it']);
});

test('a document is meant as a run by its kind, or by its version where it has none', (t) => {
  const table: readonly (readonly [object, boolean])[] = [
    [{ kind: 'RolloutRun' }, true],
    [{ kind: 'rolloutrun' }, true],
    [{ kind: 'RolloutRuns' }, true],
    [{ apiVersion: 'rollout.run/v1alpha1' }, true],
    [{ kind: 'ConfigMap', apiVersion: 'v1' }, false],
    [{}, false],
  ];
  for (const [document, isMeant] of table) t.is(isMeantAsRun(document as Record<string, unknown>), isMeant, JSON.stringify(document));
});

test('a run says whether its lines are plain values', (t) => {
  t.true(isRaw({ spec: { format: { raw: true } } }));
  t.false(isRaw(RUN));
  t.false(isRaw({ spec: null }));
});
