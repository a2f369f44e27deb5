import test from 'ava';
import { type Clock, systemClock } from '../../../runtime/base/clock.ts';
import { seededRandom } from '../../../runtime/base/random.ts';
import type { Backend, Readiness } from '../../../runtime/worker/backends/contract.ts';
import { awaitBackend, type Probed } from '../../../runtime/worker/readiness.ts';

/** A clock that jumps over every sleep. */
function jumping(): Clock {
  let nowMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  };
}

function probe(
  answers: readonly Readiness[],
  signal = new AbortController().signal,
): { probed: Promise<Probed>; away: string[]; asked: () => number } {
  let asked = 0;
  const away: string[] = [];
  const isReady = async (): Promise<Readiness> => answers[Math.min(asked++, answers.length - 1)] ?? { kind: 'ready' };
  const backend: Backend = {
    endpoints: ['b'],
    isReady,
    execute: () => Promise.reject(new Error('nothing is executed')),
    close: () => Promise.resolve(),
  };
  const deps = { backend, waitBackendMs: 60_000, clock: jumping(), random: seededRandom(1) };
  return { probed: awaitBackend(deps, signal, (detail) => away.push(detail)), away, asked: () => asked };
}

test('a backend that is there is asked once', async (t) => {
  const { probed, away, asked } = probe([{ kind: 'ready' }]);
  t.deepEqual(await probed, { kind: 'ready' });
  t.is(asked(), 1);
  t.deepEqual(away, []);
});

test('it is asked until it answers; each refusal is told', async (t) => {
  const { probed, away } = probe([{ kind: 'not-ready', detail: 'a' }, { kind: 'not-ready', detail: 'b' }, { kind: 'ready' }]);
  t.deepEqual(await probed, { kind: 'ready' });
  t.deepEqual(away, ['a', 'b']);
});

test('after waitBackend it is given up, with what was tried last; later questions are seconds apart', async (t) => {
  const { probed, away } = probe([{ kind: 'not-ready', detail: 'ECONNREFUSED' }]);
  t.like(await probed, { kind: 'given-up', detail: 'ECONNREFUSED' });
  t.true(away.length > 10 && away.length < 40, `${away.length} questions in a minute`);
});

test('a worker that stops does not ask on', async (t) => {
  const controller = new AbortController();
  controller.abort();
  const { probed, asked } = probe([{ kind: 'not-ready', detail: 'a' }], controller.signal);
  t.deepEqual(await probed, { kind: 'stopped' });
  t.is(asked(), 0);
});
