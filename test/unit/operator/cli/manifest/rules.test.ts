import test from 'ava';
import { RULE_CHECKS, SERVER_RULES } from '../../../../../operator/cli/manifest/rules.ts';
import { runMistakes } from '../../../../../operator/cli/manifest/run-check.ts';
import { mistakeText } from '../../../../../operator/cli/manifest/schema-check.ts';
import { changed, NEW_RUNS, NEW_SPEC, RUN_CHANGES } from '../../../../support/run-refusals.ts';
import { readCrd, runSchema, schemasIn } from '../../../../support/run-schema.ts';

const rules = [...schemasIn(runSchema(readCrd()))].flatMap(([, one]) => one['x-kubernetes-validations'] ?? []);
const texts = new Set(rules.map(({ rule }) => rule));

test('each rule of the definition has its check, or only the server can check it', (t) => {
  t.true(texts.size >= 20);
  t.deepEqual(
    [...texts].filter((rule) => Object.hasOwn(RULE_CHECKS, rule) === SERVER_RULES.has(rule)),
    [],
  );
});

test('no check is left of a rule that the definition does not have', (t) => {
  t.deepEqual(
    [...Object.keys(RULE_CHECKS), ...SERVER_RULES].filter((rule) => !texts.has(rule)),
    [],
  );
});

test('what only the server can check compares with what was there before', (t) => {
  t.deepEqual(
    [...texts].filter((rule) => rule.includes('oldSelf') !== SERVER_RULES.has(rule)),
    [],
  );
});

const runNamed = (name: string, spec: object): Record<string, unknown> => ({
  apiVersion: 'rollout.run/v1alpha1',
  kind: 'RolloutRun',
  metadata: { name },
  spec,
});

test('a run that all rules allow has no mistake', (t) => {
  t.deepEqual(runMistakes(runNamed('a', NEW_SPEC)), []);
});

for (const { what, name = 'a', change, says } of NEW_RUNS) {
  test(`what the API server refuses is refused without it: ${what}`, (t) => {
    const mistakes = runMistakes(runNamed(name, changed(NEW_SPEC, change)));
    t.true(mistakes.length > 0);
    // Of rules the message is the server's own; what the schema itself refuses has words for people.
    const isOfRule = rules.some(({ message = '' }) => says.test(message));
    if (isOfRule)
      t.true(
        mistakes.some((one) => says.test(mistakeText(one))),
        mistakes.map(mistakeText).join('\n'),
      );
  });
}

test('a change that the server alone refuses makes a manifest that is right by itself', (t) => {
  t.true(RUN_CHANGES.length >= SERVER_RULES.size);
  for (const { what, change } of RUN_CHANGES) t.deepEqual(runMistakes(runNamed('a', changed(NEW_SPEC, change))), [], what);
});

test('a value of another type breaks no rule: it is told by its type alone', (t) => {
  const mistakes = runMistakes(runNamed('a', { ...NEW_SPEC, input: { uri: { url: 5, sha256: true } } }));
  t.deepEqual(
    mistakes.map(({ path }) => path.join('.')),
    ['spec.input.uri.url', 'spec.input.uri.sha256'],
  );
});
