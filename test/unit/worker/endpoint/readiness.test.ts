import test from 'ava';
import { type Clock, systemClock } from '../../../../runtime/base/clock.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import type { Readiness } from '../../../../runtime/worker/backends/contract.ts';
import { askReadiness } from '../../../../runtime/worker/endpoint/readiness.ts';

/** A clock that jumps over every sleep, and notes how long it was. */
function jumping(sleptMs: number[]): Clock {
  return {
    ...systemClock,
    sleep: async (ms) => {
      sleptMs.push(ms);
    },
  };
}

type IsReady = (endpoint: number, signal: AbortSignal) => Promise<Readiness>;

function ask(isReady: IsReady, tries = 0, signal = new AbortController().signal): { answer: Promise<Readiness | null>; sleptMs: number[] } {
  const sleptMs: number[] = [];
  return { answer: askReadiness({ backend: { isReady }, clock: jumping(sleptMs), random: seededRandom(1) }, 3, tries, signal), sleptMs };
}

test('the endpoint that is meant is asked, at once at first', async (t) => {
  const asked: number[] = [];
  const { answer, sleptMs } = ask(async (endpoint) => {
    asked.push(endpoint);
    return { kind: 'ready' };
  });
  t.deepEqual(await answer, { kind: 'ready' });
  t.deepEqual([asked, sleptMs], [[3], []]);
});

test('the gaps grow with the tries, to 5 s at most', async (t) => {
  const gaps: number[] = [];
  for (const tries of [1, 2, 3, 4, 5, 6, 20]) {
    const { answer, sleptMs } = ask(async () => ({ kind: 'not-ready', detail: 'loading' }), tries);
    t.deepEqual(await answer, { kind: 'not-ready', detail: 'loading' });
    gaps.push(sleptMs[0] ?? 0);
  }
  t.true((gaps[0] ?? 0) >= 100 && (gaps[0] ?? 0) <= 200, gaps.join());
  t.true(
    gaps.every((gap) => gap <= 5_000),
    gaps.join(),
  );
  t.true((gaps.at(-1) ?? 0) >= 2_500, gaps.join());
});

test('an endpoint that does not answer is not ready', async (t) => {
  const clock: Clock = {
    ...systemClock,
    after: (_, run) => {
      run();
      return { stop: () => undefined };
    },
  };
  const isReady: IsReady = (_, signal) =>
    Promise.resolve({ kind: 'not-ready', detail: signal.aborted ? (signal.reason as Error).message : 'not aborted' });
  const answer = await askReadiness({ backend: { isReady }, clock, random: seededRandom(1) }, 0, 0, new AbortController().signal);
  t.like(answer, { kind: 'not-ready', detail: 'no answer within 5000 ms' });
});

test('a worker that ends is told nothing', async (t) => {
  const controller = new AbortController();
  const { answer } = ask(
    async () => {
      controller.abort();
      return { kind: 'ready' };
    },
    0,
    controller.signal,
  );
  t.is(await answer, null);
  t.is(await ask(async () => ({ kind: 'ready' }), 1, controller.signal).answer, null);
});
