import test from 'ava';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';
import {
  type Action,
  type Failure,
  failureOf,
  newWatchState,
  nextStep,
  type Observation,
  onEvent,
  reasonOf,
  type WatchState,
} from '../../../../operator/kube/watch-action.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';

/** The longest wait that the backoff allows, and the latest end of a watch. */
const MOST = { next: () => 0.999_999, hex: () => '' };
const LISTED: WatchState = { ...newWatchState('cached'), version: '70' };
const FAILED: Failure = { kind: 'failed', retryAfterMs: null, message: 'reset' };

function after(state: WatchState, ...seen: readonly Observation[]): Action {
  return stepped(state, ...seen).action;
}

function stepped(state: WatchState, ...seen: readonly Observation[]): { readonly state: WatchState; readonly action: Action } {
  let last = { state, action: nextStep(state, 0, { kind: 'started' }, MOST).action };
  for (const one of seen) last = nextStep(last.state, 1_000, one, MOST);
  return last;
}

test('the first list takes what the server has at hand, or the newest where names follow from it', (t) => {
  t.deepEqual(after(newWatchState('cached')), { kind: 'list', afterMs: 0, resourceVersion: '0' });
  t.deepEqual(after(newWatchState('consistent')), { kind: 'list', afterMs: 0, resourceVersion: '' });
});

test('a list is followed by a watch from its version, of five to ten minutes', (t) => {
  const random = seededRandom(7);
  for (let at = 0; at < 200; at += 1) {
    const { action } = nextStep(newWatchState('cached'), 0, { kind: 'listed', resourceVersion: '12' }, random);
    if (action.kind !== 'watch') return t.fail();
    t.is(action.resourceVersion, '12');
    t.is(action.afterMs, 0);
    t.true(action.timeoutSeconds >= 300 && action.timeoutSeconds <= 600);
  }
});

test('every event moves the version, and the next watch begins there', (t) => {
  const state = onEvent(onEvent(LISTED, '71'), '9');
  const action = after(state, { kind: 'closed', lastedMs: 400_000, events: 2 });
  t.like(action, { kind: 'watch', afterMs: 0, resourceVersion: '9' });
});

const TABLE: readonly { readonly name: string; readonly seen: Observation; readonly expected: Partial<Action> }[] = [
  {
    name: 'a watch that the server ended goes on at once',
    seen: { kind: 'closed', lastedMs: 1_000, events: 0 },
    expected: { kind: 'watch', afterMs: 0, resourceVersion: '70' },
  },
  {
    name: 'one that ended in less than a second without an event is a failure',
    seen: { kind: 'closed', lastedMs: 999, events: 0 },
    expected: { kind: 'watch', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'one that ended so soon and had said something goes on at once, the first time',
    seen: { kind: 'closed', lastedMs: 10, events: 3 },
    expected: { kind: 'watch', afterMs: 0, resourceVersion: '70' },
  },
  {
    name: 'a version that has expired within the watch: the newest list, at once',
    seen: { kind: 'error-event', failure: { kind: 'expired' } },
    expected: { kind: 'list', afterMs: 0, resourceVersion: '' },
  },
  {
    name: 'a watch that is refused for its version: the newest list, at once',
    seen: { kind: 'watch-failed', failure: { kind: 'expired' } },
    expected: { kind: 'list', afterMs: 0, resourceVersion: '' },
  },
  {
    name: 'a list that is refused for its version: the newest list, at once',
    seen: { kind: 'list-failed', failure: { kind: 'expired' } },
    expected: { kind: 'list', afterMs: 0, resourceVersion: '' },
  },
  {
    name: 'a version that the server does not have yet: the newest list',
    seen: { kind: 'list-failed', failure: { kind: 'version-too-large' } },
    expected: { kind: 'list', afterMs: 0, resourceVersion: '' },
  },
  {
    name: 'any other error within a watch: a list of what was reached or newer, after a while',
    seen: { kind: 'error-event', failure: FAILED },
    expected: { kind: 'list', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'a failing server or network: the watch again, after a while',
    seen: { kind: 'watch-failed', failure: FAILED },
    expected: { kind: 'watch', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'a list that failed: the list again, after a while',
    seen: { kind: 'list-failed', failure: FAILED },
    expected: { kind: 'list', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'too many requests: the watch again, not before the server wants it',
    seen: { kind: 'watch-failed', failure: { kind: 'throttled', retryAfterMs: 7_000 } },
    expected: { kind: 'watch', afterMs: 7_000, resourceVersion: '70' },
  },
  {
    name: 'too many requests within a watch: the watch again, and no list',
    seen: { kind: 'error-event', failure: { kind: 'throttled', retryAfterMs: null } },
    expected: { kind: 'watch', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'a server that is away for a stated time is left alone for it',
    seen: { kind: 'list-failed', failure: { ...FAILED, retryAfterMs: 30_000 } },
    expected: { kind: 'list', afterMs: 30_000, resourceVersion: '70' },
  },
  {
    name: 'no right to watch: the watch again, after a while',
    seen: { kind: 'watch-failed', failure: { kind: 'denied', message: 'no' } },
    expected: { kind: 'watch', afterMs: 799.999_2, resourceVersion: '70' },
  },
  {
    name: 'a kind that is gone: the newest list, after a while',
    seen: { kind: 'watch-failed', failure: { kind: 'missing', message: 'no such kind' } },
    expected: { kind: 'list', afterMs: 799.999_2, resourceVersion: '' },
  },
];

for (const { name, seen, expected } of TABLE) {
  test(name, (t) => {
    t.like(after(LISTED, seen), expected);
  });
}

test('the newest list is asked for until one has succeeded', (t) => {
  const lost = stepped(LISTED, { kind: 'error-event', failure: { kind: 'expired' } }, { kind: 'list-failed', failure: FAILED });
  t.like(lost.action, { kind: 'list', resourceVersion: '' });
  const { state } = stepped(lost.state, { kind: 'listed', resourceVersion: '5' });
  t.like(after(state, { kind: 'list-failed', failure: FAILED }), { kind: 'list', resourceVersion: '5' });
});

test('a version that expires again and again is no reason to list as fast as the server answers', (t) => {
  const expired: Observation = { kind: 'error-event', failure: { kind: 'expired' } };
  const listed: Observation = { kind: 'listed', resourceVersion: '80' };
  t.is(after(LISTED, expired).afterMs, 0);
  t.is(after(LISTED, expired, listed, expired).afterMs, 1_599.998_4);
  t.is(after(LISTED, expired, listed, expired, listed, expired).afterMs, 3_199.996_8);
});

test('a version that has expired while the server was away is followed by a list at once', (t) => {
  const failed: Observation = { kind: 'watch-failed', failure: FAILED };
  t.like(after(LISTED, failed, failed, failed, { kind: 'watch-failed', failure: { kind: 'expired' } }), { kind: 'list', afterMs: 0 });
});

test('waits double from 0.8 s to 30 s, each of them drawn from nothing to all of it', (t) => {
  let state = LISTED;
  const waits: number[] = [];
  for (let at = 0; at < 9; at += 1) {
    const step = nextStep(state, at, { kind: 'watch-failed', failure: FAILED }, { next: () => 1, hex: () => '' });
    state = step.state;
    waits.push(step.action.afterMs);
  }
  t.deepEqual(waits, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000]);
  t.is(nextStep(state, 10, { kind: 'watch-failed', failure: FAILED }, { next: () => 0, hex: () => '' }).action.afterMs, 0);
});

test('two minutes without a failure make the next one the first', (t) => {
  const seen: Observation = { kind: 'watch-failed', failure: FAILED };
  const first = nextStep(LISTED, 0, seen, MOST);
  const soon = nextStep(first.state, 119_999, seen, MOST);
  t.true(soon.action.afterMs > 1_500);
  t.true(nextStep(soon.state, 119_999 + 120_000, seen, MOST).action.afterMs < 800);
});

test('what does not pass by itself is trouble until a call succeeds', (t) => {
  const denied = stepped(LISTED, { kind: 'list-failed', failure: { kind: 'denied', message: 'pods is forbidden' } }).state;
  t.deepEqual(denied.trouble, { kind: 'denied', message: 'pods is forbidden' });
  t.is(stepped(denied, { kind: 'listed', resourceVersion: '1' }).state.trouble, null);
  t.is(onEvent(denied, '2').trouble, null);
  t.is(stepped(denied, { kind: 'closed', lastedMs: 5_000, events: 0 }).state.trouble, null);
  for (const failure of [{ kind: 'expired' }, { kind: 'version-too-large' }, { kind: 'throttled', retryAfterMs: 1 }] as const) {
    t.is(stepped(LISTED, { kind: 'watch-failed', failure }).state.trouble, null);
  }
});

test('what the API server answers, as what follows from it', (t) => {
  const rows: readonly (readonly [unknown, Failure])[] = [
    [new ApiError(410, 'too old', { reason: 'Expired' }), { kind: 'expired' }],
    [new ApiError(410, 'too old', { reason: 'Gone' }), { kind: 'expired' }],
    [new ApiError(504, 'Timeout: Too large resource version: 9, current: 4'), { kind: 'version-too-large' }],
    [new ApiError(504, 'Timeout', { causes: ['ResourceVersionTooLarge'] }), { kind: 'version-too-large' }],
    [new ApiError(429, 'slow down', { retryAfterMs: 2_000 }), { kind: 'throttled', retryAfterMs: 2_000 }],
    [new ApiError(401, 'who?'), { kind: 'denied', message: 'who?' }],
    [new ApiError(403, 'no'), { kind: 'denied', message: 'no' }],
    [new ApiError(404, 'no kind'), { kind: 'missing', message: 'no kind' }],
    [new ApiError(503, 'stopping', { retryAfterMs: 1_000 }), { kind: 'failed', retryAfterMs: 1_000, message: 'stopping' }],
    [new NoAnswer('reset'), { kind: 'failed', retryAfterMs: null, message: 'reset' }],
    ['a text', { kind: 'failed', retryAfterMs: null, message: 'a text' }],
  ];
  for (const [error, failure] of rows) t.deepEqual(failureOf(error), failure);
});

test('a metric has a word for each reason', (t) => {
  t.is(reasonOf({ kind: 'closed', lastedMs: 1_000, events: 0 }), 'closed');
  t.is(reasonOf({ kind: 'closed', lastedMs: 999, events: 9 }), 'closed-early');
  t.is(reasonOf({ kind: 'watch-failed', failure: FAILED }), 'failed');
  t.is(reasonOf({ kind: 'error-event', failure: { kind: 'expired' } }), 'expired');
  t.is(reasonOf({ kind: 'listed', resourceVersion: '1' }), 'listed');
});
