import test from 'ava';
import { CONFIG_MAP, PERSISTENT_VOLUME_CLAIM } from '../../../../operator/kube/kind.ts';
import { findInput } from '../../../../operator/rollout/input.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const ADVICE = 'create it';
const metadata = { name: 'prompts', namespace: 'team' };

test('a ConfigMap is there when it has the key, as text or as bytes', async (t) => {
  const cluster = new MemoryCluster();
  t.deepEqual(await findInput(cluster, runOf(), ADVICE), {
    kind: 'missing',
    message: 'there is no ConfigMap prompts in team: create it',
  });
  cluster.put(CONFIG_MAP, { metadata, data: { 'other.jsonl': '' } });
  t.deepEqual(await findInput(cluster, runOf(), ADVICE), {
    kind: 'missing',
    message: 'the ConfigMap prompts has no key items.jsonl: it has other.jsonl; create it',
  });
  cluster.put(CONFIG_MAP, { metadata });
  t.like(await findInput(cluster, runOf(), ADVICE), { message: 'the ConfigMap prompts has no key items.jsonl: it has none; create it' });
  for (const content of [{ data: { 'items.jsonl': '{}' } }, { binaryData: { 'items.jsonl': 'e30=' } }]) {
    cluster.put(CONFIG_MAP, { metadata, ...content });
    t.deepEqual(await findInput(cluster, runOf(), ADVICE), { kind: 'found' });
  }
});

test('a volume is there when its claim is; what is on it, the coordinator’s first step sees', async (t) => {
  const cluster = new MemoryCluster();
  const run = runOf({ input: { pvc: { claimName: 'prompts', path: 'a.jsonl' } } });
  t.like(await findInput(cluster, run, ADVICE), {
    kind: 'missing',
    message: 'there is no PersistentVolumeClaim prompts in team: create it',
  });
  cluster.put(PERSISTENT_VOLUME_CLAIM, { metadata });
  t.deepEqual(await findInput(cluster, run, ADVICE), { kind: 'found' });
});

test('an address is not asked by the operator', async (t) => {
  const cluster = new MemoryCluster();
  const uri = { url: 'https://example.com/a.jsonl', sha256: 'a'.repeat(64) };
  t.deepEqual(await findInput(cluster, runOf({ input: { uri } }), ADVICE), { kind: 'found' });
  t.deepEqual(cluster.reads, []);
});
