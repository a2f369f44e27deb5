import test from 'ava';
import { type NodeWord, withdrawal } from '../../../../operator/rollout/node-words.ts';
import { afterTelling, inEpoch, NOTHING_TOLD, newsOf, type ToldWords } from '../../../../operator/rollout/told-words.ts';

function drain(node: string, digest = 'd1'): NodeWord {
  return { node, digest, word: { node, worker: null, severity: 'drain', provider: null, deadlineMs: null, reason: 'x' } };
}

function toldAll(told: ToldWords, words: readonly NodeWord[]): ToldWords {
  return newsOf(told, words).reduce(afterTelling, told);
}

/** This operator has seen the coordinator start. */
const SEEN_FROM_START = inEpoch(inEpoch(NOTHING_TOLD, 6), 7);

test('a word is told once, and again when it has changed', (t) => {
  const told = toldAll(SEEN_FROM_START, [drain('a')]);
  t.deepEqual(newsOf(told, [drain('a')]), []);
  t.deepEqual(newsOf(told, [drain('a', 'd2'), drain('b')]), [drain('a', 'd2'), drain('b')]);
});

test('what is said no more is withdrawn, also of a node on which the run has no worker any more; that is told once as well', (t) => {
  const told = toldAll(SEEN_FROM_START, [drain('a'), drain('b')]);
  t.deepEqual(newsOf(told, [withdrawal('a')]), [withdrawal('a'), withdrawal('b')]);
  t.deepEqual(newsOf(toldAll(told, [withdrawal('a')]), [withdrawal('a')]), []);
});

test('of nodes of which nobody has said anything a coordinator hears nothing', (t) => {
  t.deepEqual(newsOf(SEEN_FROM_START, [withdrawal('a')]), []);
});

test('an operator that finds a coordinator at work withdraws what another one may have said of the nodes of its workers', (t) => {
  const found = inEpoch(NOTHING_TOLD, 7);
  t.deepEqual(newsOf(found, [withdrawal('a'), drain('b')]), [withdrawal('a'), drain('b')]);
  const told = toldAll(found, [withdrawal('a'), drain('b')]);
  t.deepEqual(newsOf(told, [withdrawal('a'), drain('b')]), []);
  t.deepEqual(newsOf(told, [withdrawal('a'), drain('b'), withdrawal('c')]), [withdrawal('c')], 'and of those that come later');
});

test('a coordinator of the next epoch is told anew', (t) => {
  const told = toldAll(SEEN_FROM_START, [drain('a')]);
  t.deepEqual(newsOf(inEpoch(told, 8), [drain('a')]), [drain('a')]);
  t.is(inEpoch(told, 7), told);
});
