import test from 'ava';
import {
  afterTelling,
  inEpoch,
  NOTHING_TOLD,
  newsOf,
  type ToldWords,
  type Word,
  withdrawal,
} from '../../../../operator/rollout/told-words.ts';

function drain(node: string, digest = 'd1'): Word {
  return { digest, word: { node, worker: null, severity: 'drain', provider: null, deadlineMs: null, reason: 'x' } };
}

const withdrawn = (node: string): Word => withdrawal({ node, worker: null });

function toldAll(told: ToldWords, words: readonly Word[]): ToldWords {
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
  t.deepEqual(newsOf(told, [withdrawn('a')]), [withdrawn('a'), withdrawn('b')]);
  t.deepEqual(newsOf(toldAll(told, [withdrawn('a')]), [withdrawn('a')]), []);
});

test('of nodes of which nobody has said anything a coordinator hears nothing', (t) => {
  t.deepEqual(newsOf(SEEN_FROM_START, [withdrawn('a')]), []);
});

test('an operator that finds a coordinator at work withdraws what another one may have said of the nodes of its workers', (t) => {
  const found = inEpoch(NOTHING_TOLD, 7);
  t.deepEqual(newsOf(found, [withdrawn('a'), drain('b')]), [withdrawn('a'), drain('b')]);
  const told = toldAll(found, [withdrawn('a'), drain('b')]);
  t.deepEqual(newsOf(told, [withdrawn('a'), drain('b')]), []);
  t.deepEqual(newsOf(told, [withdrawn('a'), drain('b'), withdrawn('c')]), [withdrawn('c')], 'and of those that come later');
});

test('a coordinator of the next epoch is told anew', (t) => {
  const told = toldAll(SEEN_FROM_START, [drain('a')]);
  t.deepEqual(newsOf(inEpoch(told, 8), [drain('a')]), [drain('a')]);
  t.is(inEpoch(told, 7), told);
});

test('a worker of which something was said, and whose pod is gone or stays after all, is withdrawn by name; a node of that name is not', (t) => {
  const ofWorker: Word = { digest: 'd1', word: { ...drain('a').word, node: null, worker: 'a' } };
  const told = toldAll(SEEN_FROM_START, [ofWorker, drain('a')]);
  t.deepEqual(newsOf(told, [drain('a')]), [withdrawal({ node: null, worker: 'a' })]);
});
