import test from 'ava';
import { deregister } from '../../../../runtime/worker/session/deregister.ts';
import type { Called } from '../../../../runtime/worker/session/link.ts';

const DEREGISTRATION = { workerId: 'w1', bootNonce: 'n', isClean: true };
const PASSIVE: Called<never> = { kind: 'failed', isPassive: true };

/** Whether it was heard, and how often the link had to move; each call and each move takes 100 ms of the clock. */
async function said(answers: readonly Called<{ readonly epoch: number }>[], byMs = 5_000): Promise<{ isHeard: boolean; moves: number }> {
  let [calls, moves] = [0, 0];
  const link = {
    call: async <T>(): Promise<Called<T>> => (answers[Math.min(calls++, answers.length - 1)] ?? PASSIVE) as Called<T>,
    move: async (): Promise<void> => {
      moves += 1;
    },
  };
  const isHeard = await deregister({ link, clock: { monotonicMs: () => (calls + moves) * 100 } }, DEREGISTRATION, byMs);
  return { isHeard, moves };
}

test('a passive coordinator sends the goodbye on to the primary', async (t) => {
  t.deepEqual(await said([PASSIVE, PASSIVE, { kind: 'reply', reply: { epoch: 1 } }]), { isHeard: true, moves: 2 });
});

test('a coordinator that does not answer is not asked again', async (t) => {
  t.deepEqual(await said([{ kind: 'failed', isPassive: false }]), { isHeard: false, moves: 0 });
  t.deepEqual(await said([{ kind: 'left' }]), { isHeard: false, moves: 0 });
});

test('where only passive coordinators answer, the worker ends in its time', async (t) => {
  t.deepEqual(await said([PASSIVE], 500), { isHeard: false, moves: 2 });
});
