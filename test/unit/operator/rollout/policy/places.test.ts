import test from 'ava';
import { planWorkers, type WorkerWish } from '../../../../../operator/rollout/policy/places.ts';
import type { WorkerView } from '../../../../../operator/rollout/worker-view.ts';

const NOW = 1_000_000;
const WISH: WorkerWish = { desired: 3, template: 't1', replacesOutdated: true, lostNodes: new Set(), goingNodes: new Set() };

function worker(slot: number, more: Partial<WorkerView> = {}): WorkerView {
  const incarnation = more.incarnation ?? 0;
  return {
    name: `r-worker-${slot}-${incarnation}`,
    uid: `${slot}/${incarnation}`,
    slot,
    incarnation,
    template: 't1',
    node: `node${slot}`,
    avoids: [],
    phase: 'running',
    isTerminating: false,
    hasShortGrace: false,
    notice: null,
    hasNeverRun: false,
    createdAtMs: NOW - 60_000,
    trouble: null,
    ...more,
  };
}

const names = (views: readonly WorkerView[]): readonly string[] => views.map(({ name }) => name);

test('each place gets one worker, and a full house is left alone', (t) => {
  t.deepEqual(
    planWorkers([], WISH, NOW).create,
    [0, 1, 2].map((slot) => ({ slot, incarnation: 0 })),
  );
  const full = planWorkers(
    [0, 1, 2].map((slot) => worker(slot)),
    WISH,
    NOW,
  );
  t.like(full, { create: [], remove: [], drain: [], current: 3, draining: 0, againMs: null });
});

test('a worker that is being deleted is replaced at once, under another name', (t) => {
  const plan = planWorkers([worker(0), worker(1, { isTerminating: true }), worker(2)], WISH, NOW);
  t.deepEqual(plan.create, [{ slot: 1, incarnation: 1 }]);
  t.deepEqual(plan.remove, [], 'it is being deleted already');
  t.like(plan, { current: 2, draining: 1 });
});

test('a pod that is over is removed and its place filled, whether it succeeded or failed', (t) => {
  const plan = planWorkers([worker(0, { phase: 'succeeded' }), worker(1, { phase: 'failed' }), worker(2)], WISH, NOW);
  t.deepEqual(names(plan.remove), ['r-worker-0-0', 'r-worker-1-0']);
  t.deepEqual(
    plan.create,
    [0, 1].map((slot) => ({ slot, incarnation: 1 })),
  );
});

test('the pods of a lost node are removed and replaced, whatever their status says', (t) => {
  const plan = planWorkers(
    [0, 1, 2].map((slot) => worker(slot)),
    { ...WISH, lostNodes: new Set(['node1']) },
    NOW,
  );
  t.deepEqual(names(plan.remove), ['r-worker-1-0']);
  t.deepEqual(plan.create, [{ slot: 1, incarnation: 1 }]);
});

test('a worker on a node that is about to go works on, and has a successor; when the node stays after all, the successor leaves', (t) => {
  const going = { ...WISH, goingNodes: new Set(['node1']) };
  const plan = planWorkers(
    [0, 1, 2].map((slot) => worker(slot)),
    going,
    NOW,
  );
  t.deepEqual(plan.create, [{ slot: 1, incarnation: 1 }]);
  t.like(plan, { remove: [], drain: [], draining: 1 });
  const successor = worker(1, { incarnation: 1, node: 'node9' });
  const all = [worker(0), worker(1), successor, worker(2)];
  t.deepEqual(planWorkers(all, going, NOW).create, []);
  t.deepEqual(names(planWorkers(all, WISH, NOW).drain), [successor.name]);
});

test('a worker whose pod is about to end works on, and has a successor; when it stays after all, the successor leaves', (t) => {
  const about = worker(1, { notice: { deadlineMs: NOW, reason: 'evicted' } });
  const plan = planWorkers([worker(0), about, worker(2)], WISH, NOW);
  t.deepEqual(plan.create, [{ slot: 1, incarnation: 1 }]);
  t.like(plan, { remove: [], drain: [], current: 2, draining: 1 });
  const successor = worker(1, { incarnation: 1 });
  t.deepEqual(planWorkers([worker(0), about, successor, worker(2)], WISH, NOW).create, []);
  t.deepEqual(names(planWorkers([worker(0), worker(1), successor, worker(2)], WISH, NOW).drain), [successor.name]);
});

test('fewer workers: those of the highest places are drained, none is deleted', (t) => {
  const plan = planWorkers(
    [0, 1, 2].map((slot) => worker(slot)),
    { ...WISH, desired: 1 },
    NOW,
  );
  t.deepEqual(names(plan.drain), ['r-worker-1-0', 'r-worker-2-0']);
  t.deepEqual([plan.create, plan.remove], [[], []]);
});

test('a changed template replaces one worker at a time, and only while all are there', (t) => {
  const old = [0, 1, 2].map((slot) => worker(slot, { template: 't0' }));
  t.deepEqual(names(planWorkers(old, WISH, NOW).drain), ['r-worker-0-0']);
  t.deepEqual(planWorkers(old.with(2, worker(2, { phase: 'waiting' })), WISH, NOW).drain, []);
  t.deepEqual(planWorkers(old.slice(1), WISH, NOW).drain, []);
  t.deepEqual(planWorkers(old, { ...WISH, replacesOutdated: false }, NOW).drain, []);
});

test('a pod that a node has refused is made anew after a wait, not at once', (t) => {
  const refused = worker(1, { phase: 'failed', hasNeverRun: true, createdAtMs: NOW - 4_000 });
  const plan = planWorkers([worker(0), refused, worker(2)], WISH, NOW);
  t.like(plan, { create: [], remove: [], againMs: 6_000 });
  const later = planWorkers([worker(0), refused, worker(2)], WISH, NOW + 6_000);
  t.deepEqual(later.create, [{ slot: 1, incarnation: 1 }]);
  t.deepEqual(names(later.remove), ['r-worker-1-0']);
});

test('a name is never used again while a pod has it', (t) => {
  const views = [worker(0, { incarnation: 4, isTerminating: true }), worker(0, { incarnation: 7, phase: 'failed' })];
  t.deepEqual(planWorkers(views, { ...WISH, desired: 1 }, NOW).create, [{ slot: 0, incarnation: 8 }]);
});

test('a pod that waits for a node is made anew when it keeps away from one that stays after all', (t) => {
  const waits = worker(1, { incarnation: 1, phase: 'waiting', node: null, avoids: ['node1', 'node2'] });
  const both = { ...WISH, goingNodes: new Set(['node1']), lostNodes: new Set(['node2']) };
  t.like(planWorkers([worker(0), waits, worker(2, { node: 'node0' })], both, NOW), { create: [], remove: [] });
  const plan = planWorkers([worker(0), waits, worker(2)], { ...both, lostNodes: new Set() }, NOW);
  t.deepEqual(names(plan.remove), [waits.name]);
  t.deepEqual(plan.create, [{ slot: 1, incarnation: 2 }]);
  const placed = [worker(0), { ...waits, node: 'node0' }, worker(2)];
  t.like(planWorkers(placed, WISH, NOW), { create: [], remove: [] }, 'it has found a place');
});
