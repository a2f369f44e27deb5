import test from 'ava';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import { nodeWords, withdrawal } from '../../../../operator/rollout/node-words.ts';
import { NOW, workerOf } from '../../../support/operator/run-world.ts';

const DRAIN: Signal = { severity: 'drain', provider: 'aws', deadlineMs: NOW + 90_000, reason: 'the node has the taint x' };

test('a coordinator is told of the nodes on which the run has workers, and of no others', (t) => {
  const signals = new Map([
    ['node0', DRAIN],
    ['elsewhere', DRAIN],
  ]);
  const words = nodeWords([workerOf(0), workerOf(1), workerOf(2, { node: null })], signals, NOW);
  t.deepEqual([...words.keys()], ['node0']);
  t.deepEqual(words.get('node0')?.word, {
    node: 'node0',
    worker: null,
    severity: 'drain',
    provider: 'aws',
    deadlineMs: 90_000,
    reason: 'the node has the taint x',
  });
});

test('the time that is left shrinks, and is no news; a time that is over is still one', (t) => {
  const wordAt = (nowMs: number) => nodeWords([workerOf(0)], new Map([['node0', DRAIN]]), nowMs).get('node0');
  const [early, late] = [wordAt(NOW), wordAt(NOW + 120_000)];
  t.is(early?.digest, late?.digest);
  t.is(late?.word.deadlineMs, 1, 'none at all would mean that nobody says when');
});

test('another severity, and another deadline, are news', (t) => {
  const digestOf = (signal: Signal) => nodeWords([workerOf(0)], new Map([['node0', signal]]), NOW).get('node0')?.digest;
  const digests = [DRAIN, { ...DRAIN, severity: 'gone' as const }, { ...DRAIN, deadlineMs: null }].map(digestOf);
  t.is(new Set(digests).size, 3);
});

test('a node of which nothing is said any more is withdrawn by name', (t) => {
  t.like(withdrawal('node0'), { node: 'node0', worker: null, severity: 'withdrawn', deadlineMs: null });
});
