import test from 'ava';
import { documentsIn } from '../../../../../operator/cli/manifest/documents.ts';
import { type ListWithin, listWithin } from '../../../../../operator/cli/manifest/list-within.ts';

const RUN = 'kind: RolloutRun\nmetadata: {name: a}\nspec: {input: {configMap: {name: prompts}}}\n---\n';

function within(rest: string, run: string = RUN): ListWithin | null {
  const { manifests } = documentsIn(run + rest);
  const [first] = manifests;
  return first === undefined ? null : listWithin(first, manifests);
}

test('a list in a ConfigMap of the same file is found by its name and the usual key', (t) => {
  const found = within('kind: ConfigMap\nmetadata: {name: prompts}\ndata:\n  items.jsonl: |\n    {}\n');
  t.true(found?.kind === 'found' && found.bytes.toString() === '{}\n' && found.manifest.lineOf(found.path) === 8);
});

test('one that is packed is found as well', (t) => {
  const found = within(`kind: ConfigMap\nmetadata: {name: prompts}\nbinaryData: {items.jsonl: ${Buffer.from('{}').toString('base64')}}\n`);
  t.true(found?.kind === 'found' && found.bytes.toString() === '{}');
});

test('another key is said, with those that there are', (t) => {
  t.deepEqual(within('kind: ConfigMap\nmetadata: {name: prompts}\ndata: {other: a}\n'), { kind: 'no-key', keys: ['other'] });
});

test('what is elsewhere is not looked for', (t) => {
  t.is(within('kind: ConfigMap\nmetadata: {name: others}\ndata: {items.jsonl: a}\n'), null);
  t.is(within('kind: ConfigMap\nmetadata: {name: prompts, namespace: other}\ndata: {items.jsonl: a}\n'), null);
  t.is(within('kind: Secret\nmetadata: {name: prompts}\ndata: {items.jsonl: a}\n'), null);
  t.is(within('', 'kind: RolloutRun\nmetadata: {name: a}\nspec: {input: {pvc: {claimName: a, path: b}}}\n---\n'), null);
});
