import type { WorkerPlace } from '../desired/worker-pod.ts';
import type { WorkerView } from '../worker-view.ts';

/** What is to be done about a run's workers. */
export interface WorkerPlan {
  readonly create: readonly WorkerPlace[];
  /** To be deleted: over, lost, or in nobody's place. */
  readonly remove: readonly WorkerView[];
  /** To be told to hand back and leave; they end by themselves then. */
  readonly drain: readonly WorkerView[];
  /** Pods that exist and are not ending. */
  readonly current: number;
  readonly draining: number;
  /** When to look again, though nothing has changed; null where nothing waits for time. */
  readonly againMs: number | null;
}

export interface WorkerWish {
  /** How many there should be. */
  readonly desired: number;
  readonly template: string;
  readonly replacesOutdated: boolean;
  /** Nodes that have been taken away: their pods are dead, whatever their status says. */
  readonly lostNodes: ReadonlySet<string>;
  /** Nodes that are about to go: their workers leave by themselves, and need a successor elsewhere. */
  readonly goingNodes: ReadonlySet<string>;
}

/** A pod that was refused before it ran is made anew after this time, or the scheduler and a full node would play ball with it. */
const REFUSED_WAIT_MS = 10_000;

/**
 * Each place below `desired` has one worker that is there to stay. One that is ending or about to, or on a machine that goes, is replaced at once
 * under the next incarnation, and works until it has left. Workers beyond the places are drained, the highest place first. One that waits
 * for a node, and keeps away from one that stays after all, is made anew: it might wait forever.
 */
export function planWorkers(views: readonly WorkerView[], wish: WorkerWish, nowMs: number): WorkerPlan {
  const alive = views.filter((view) => !isOver(view) && !isLost(view, wish) && !isKeptAway(view, wish));
  const staying = alive.filter((view) => !view.isTerminating && !isGoing(view, wish));
  const surplus = staying.filter((view) => view.slot >= wish.desired || isDoubled(view, staying));
  const outdated = wish.replacesOutdated ? oneOutdated(staying, surplus, wish) : [];
  const drain = [...surplus, ...outdated];
  const create: WorkerPlace[] = [];
  let againMs: number | null = null;
  for (let slot = 0; slot < wish.desired; slot += 1) {
    if (staying.some((view) => view.slot === slot)) continue;
    const waitMs = refusedWaitMs(views, slot, nowMs);
    if (waitMs > 0) againMs = Math.min(againMs ?? waitMs, waitMs);
    else create.push({ slot, incarnation: nextIncarnation(views, slot) });
  }
  return {
    create,
    remove: views.filter(
      (view) => !view.isTerminating && ((isOver(view) && !isRecentRefusal(view, nowMs)) || isLost(view, wish) || isKeptAway(view, wish)),
    ),
    drain,
    current: staying.length,
    draining: drain.length + alive.filter((view) => view.isTerminating || isGoing(view, wish)).length,
    againMs,
  };
}

function isOver({ phase }: WorkerView): boolean {
  return phase === 'succeeded' || phase === 'failed';
}

function isLost({ node }: WorkerView, { lostNodes }: WorkerWish): boolean {
  return node !== null && lostNodes.has(node);
}

function isGoing({ node, notice }: WorkerView, { goingNodes }: WorkerWish): boolean {
  return notice !== null || (node !== null && goingNodes.has(node));
}

function isKeptAway({ phase, node, avoids }: WorkerView, { lostNodes, goingNodes }: WorkerWish): boolean {
  return phase === 'waiting' && node === null && avoids.some((one) => !lostNodes.has(one) && !goingNodes.has(one));
}

/** Two of one place: one stood on a machine that was about to go, and then was not. The newer one leaves. */
function isDoubled(view: WorkerView, staying: readonly WorkerView[]): boolean {
  return staying.some(({ slot, incarnation }) => slot === view.slot && incarnation < view.incarnation);
}

/** One at a time, and only while all others are there. */
function oneOutdated(
  staying: readonly WorkerView[],
  surplus: readonly WorkerView[],
  { desired, template }: WorkerWish,
): readonly WorkerView[] {
  const kept = staying.filter((view) => !surplus.includes(view));
  if (kept.length < desired || kept.some((view) => view.phase !== 'running')) return [];
  return kept.filter((view) => view.template !== template).slice(0, 1);
}

function isRecentRefusal(view: WorkerView, nowMs: number): boolean {
  return view.phase === 'failed' && view.hasNeverRun && nowMs < view.createdAtMs + REFUSED_WAIT_MS;
}

function refusedWaitMs(views: readonly WorkerView[], slot: number, nowMs: number): number {
  const refused = views.filter((view) => view.slot === slot && isRecentRefusal(view, nowMs));
  return Math.max(0, ...refused.map((view) => view.createdAtMs + REFUSED_WAIT_MS - nowMs));
}

/**
 * No pod that still exists has this name. The store of pods begins with a consistent list and follows one watch, so a pod that it does not
 * have yet is one that this very operator has just created: then the API server refuses the name, and no twin is made.
 */
function nextIncarnation(views: readonly WorkerView[], slot: number): number {
  return Math.max(-1, ...views.filter((view) => view.slot === slot).map(({ incarnation }) => incarnation)) + 1;
}
