import test from 'ava';
import { type DrainEnd, endOfGone, lookAtWorker, type WorkerFacts, type WorkerSample } from '../../../../operator/metrics/worker-sample.ts';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import { templateHash } from '../../../../operator/rollout/desired/worker-pod.ts';
import type { WorkerView } from '../../../../operator/rollout/worker-view.ts';
import { NOW, runOf, workerOf } from '../../../support/operator/run-world.ts';

const TEMPLATE = templateHash(runOf());
const NOTICE = { deadlineMs: NOW + 1_000, reason: 'the pod is about to be ended' };

function signalOf(severity: Signal['severity'], provider: Signal['provider'] = null): Signal {
  return { severity, provider, deadlineMs: null, reason: 'the node has a taint' };
}

function factsOf(more: Partial<WorkerFacts> = {}, view: Partial<WorkerView> = {}): WorkerFacts {
  return { view: workerOf(0, view), signal: null, word: 'ready', isUnwanted: false, template: TEMPLATE, ...more };
}

/** One look after the other, a second apart. */
function look(...looks: readonly WorkerFacts[]): { readonly sample: WorkerSample; readonly ends: readonly DrainEnd[] } {
  let sample: WorkerSample | null = null;
  const ends: DrainEnd[] = [];
  for (const [at, facts] of looks.entries()) {
    const next = lookAtWorker(sample, facts, NOW + at * 1_000);
    sample = next.sample;
    if (next.ended !== null) ends.push(next.ended);
  }
  if (sample === null) throw new Error('nobody has looked');
  return { sample, ends };
}

test('a worker is in one state: what the coordinator says of it, unless it is on its way out', (t) => {
  const table: readonly (readonly [facts: WorkerFacts, state: WorkerSample['state']])[] = [
    [factsOf({ word: null }, { phase: 'waiting' }), 'starting'],
    [factsOf({ word: null }), 'starting'],
    [factsOf({ word: 'init' }), 'starting'],
    [factsOf(), 'ready'],
    [factsOf({ word: 'not-ready' }), 'not-ready'],
    [factsOf({ word: 'suspected' }), 'suspected'],
    [factsOf({ signal: signalOf('hint') }), 'ready'],
    [factsOf({ word: 'draining' }), 'draining'],
    [factsOf({ signal: signalOf('drain') }), 'draining'],
    [factsOf({ isUnwanted: true }), 'draining'],
    [factsOf({}, { isTerminating: true }), 'draining'],
    [factsOf({}, { notice: NOTICE }), 'draining'],
    [factsOf({ signal: signalOf('gone') }), null],
    [factsOf({}, { phase: 'succeeded' }), null],
    [factsOf({}, { phase: 'failed' }), null],
  ];
  for (const [facts, state] of table) t.is(look(facts).sample.state, state, JSON.stringify(facts));
});

test('what a successor is there for: the node before the pod, the template before a deletion', (t) => {
  const table: readonly (readonly [facts: WorkerFacts, cause: WorkerSample['cause']])[] = [
    [factsOf(), null],
    [factsOf({ template: 'another' }), null],
    [factsOf({ signal: signalOf('hint') }), null],
    [factsOf({ signal: signalOf('gone') }, { phase: 'failed' }), 'node-gone'],
    [factsOf({ signal: signalOf('drain') }, { isTerminating: true }), 'node-going'],
    [factsOf({}, { notice: NOTICE }), 'deleted'],
    [factsOf({ template: 'another' }, { isTerminating: true }), 'outdated'],
    [factsOf({ template: 'another' }, { phase: 'succeeded' }), 'outdated'],
    [factsOf({}, { phase: 'failed', hasNeverRun: true }), 'refused'],
    [factsOf({}, { phase: 'failed' }), 'failed'],
    [factsOf({}, { isTerminating: true }), 'deleted'],
    [factsOf({}, { phase: 'succeeded' }), 'ended'],
  ];
  for (const [facts, cause] of table) t.is(look(facts).sample.cause, cause, JSON.stringify(facts));
});

test('a drain ends once, under the provider that it began with, and its time is known', (t) => {
  const going = factsOf({ signal: signalOf('drain', 'aws') });
  t.deepEqual(look(going, going, factsOf({}, { phase: 'succeeded' }), factsOf({}, { phase: 'succeeded' })).ends, [
    { outcome: 'left', provider: 'aws', tookMs: 2_000 },
  ]);
  t.deepEqual(look(going, factsOf({}, { phase: 'failed' })).ends, [{ outcome: 'lost', provider: 'aws', tookMs: 1_000 }]);
  t.deepEqual(look(going, factsOf({ signal: signalOf('gone', 'aws') })).ends, [{ outcome: 'lost', provider: 'aws', tookMs: 1_000 }]);
  t.deepEqual(look(going, factsOf(), factsOf()).ends, [{ outcome: 'withdrawn', provider: 'aws', tookMs: 1_000 }]);
});

test('who wants it to go: a provider, a signal of nobody, or no node at all', (t) => {
  const left = factsOf({}, { phase: 'succeeded' });
  t.is(look(factsOf({ signal: signalOf('drain', 'gcp') }), left).ends[0]?.provider, 'gcp');
  t.is(look(factsOf({ signal: signalOf('drain') }), left).ends[0]?.provider, 'other');
  t.is(look(factsOf({ isUnwanted: true }), left).ends[0]?.provider, 'none');
});

test('a worker that ends without having been on its way out is no drain', (t) => {
  for (const end of [factsOf({}, { phase: 'succeeded' }), factsOf({}, { phase: 'failed' }), factsOf({ signal: signalOf('gone') })])
    t.deepEqual(look(factsOf(), end).ends, []);
});

test('of a pod that has vanished: deleted it left, otherwise it was lost; one that was on no way out had no drain', (t) => {
  const terminating = look(factsOf({ signal: signalOf('drain', 'azure') }, { isTerminating: true })).sample;
  t.deepEqual(endOfGone(terminating, NOW + 5_000), { outcome: 'left', provider: 'azure', tookMs: 5_000 });
  t.is(endOfGone(look(factsOf({ signal: signalOf('drain') })).sample, NOW)?.outcome, 'lost');
  t.is(endOfGone(look(factsOf()).sample, NOW), null);
  t.is(endOfGone(look(factsOf({ isUnwanted: true }), factsOf({}, { phase: 'succeeded' })).sample, NOW), null);
});
