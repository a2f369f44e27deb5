import test from 'ava';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import { nodeWords } from '../../../../operator/rollout/node-words.ts';
import { NO_WORD, withdrawal } from '../../../../operator/rollout/told-words.ts';
import { NOW, workerOf } from '../../../support/operator/run-world.ts';

const DRAIN: Signal = { severity: 'drain', provider: 'aws', deadlineMs: NOW + 90_000, reason: 'the node has the taint x' };

test('a coordinator is told of the nodes on which the run has workers, and of no others', (t) => {
  const signals = new Map([
    ['node0', DRAIN],
    ['elsewhere', DRAIN],
  ]);
  const [first, ...others] = nodeWords(
    [workerOf(0), workerOf(1), workerOf(2, { node: null }), workerOf(3, { node: 'node0' })],
    signals,
    NOW,
  );
  t.deepEqual(first?.word, {
    node: 'node0',
    worker: null,
    severity: 'drain',
    provider: 'aws',
    deadlineMs: 90_000,
    reason: 'the node has the taint x',
  });
  t.deepEqual(others, [withdrawal({ node: 'node1', worker: null })], 'nothing is said of it');
});

test('the time that is left shrinks, and is no news; a time that is over is still one', (t) => {
  const wordAt = (nowMs: number) => nodeWords([workerOf(0)], new Map([['node0', DRAIN]]), nowMs)[0];
  const [early, late] = [wordAt(NOW), wordAt(NOW + 120_000)];
  t.is(early?.digest, late?.digest);
  t.is(late?.word.deadlineMs, 1, 'none at all would mean that nobody says when');
});

test('another severity, another deadline and a withdrawal are news', (t) => {
  const digestOf = (signal: Signal) => nodeWords([workerOf(0)], new Map([['node0', signal]]), NOW)[0]?.digest;
  const digests = [DRAIN, { ...DRAIN, severity: 'gone' as const }, { ...DRAIN, deadlineMs: null }].map(digestOf);
  t.is(new Set([...digests, NO_WORD]).size, 4);
});

test('a node of which nothing is said any more is withdrawn by name', (t) => {
  t.like(withdrawal({ node: 'node0', worker: null }), {
    digest: NO_WORD,
    word: { node: 'node0', worker: null, severity: 'withdrawn', deadlineMs: null },
  });
});
