import test from 'ava';
import type { RolloutRun } from '../../../../../operator/api/run.ts';
import type { ContainerEnd } from '../../../../../operator/rollout/coordinator-view.ts';
import { fullReason, fullText } from '../../../../../operator/rollout/policy/full.ts';
import { fullReason as appendRefused, tooManyItems } from '../../../../../runtime/results/inline/limit.ts';
import { coordinatorOf, runOf } from '../../../../support/operator/run-world.ts';

const MIB = 2 ** 20;
const WORDS = appendRefused(2 * MIB, MIB);

function redisRun(inlineLimit?: string, status?: RolloutRun['status']): RolloutRun {
  const results = inlineLimit === undefined ? {} : { results: { inlineLimit } };
  return runOf({ coordinator: { replicas: 1, store: { redis: { url: 'redis://r' } }, ...results } }, status);
}
const ended = (message: string, more: Partial<ContainerEnd> = {}) =>
  coordinatorOf({ ends: [{ container: 'coordinator', exitCode: 4, message, ...more }] });
const told = (message: string): RolloutRun['status'] => ({
  conditions: [{ type: 'CoordinatorAvailable', status: 'False', reason: 'ResultsFull', message, lastTransitionTime: '' }],
});

test('a coordinator that has met the limit says so, in the middle of a run and before its first item', (t) => {
  t.is(fullReason(redisRun('1Mi'), [ended(WORDS)]), WORDS);
  const before = tooManyItems(100_000, MIB) ?? '';
  t.is(fullReason(redisRun('1Mi'), [ended(before)]), before);
  t.is(fullReason(redisRun('1Mi'), [ended('Redis gave no answer')]), null);
  t.is(fullReason(redisRun('1Mi'), [ended(WORDS, { exitCode: 70 })]), null);
  t.is(fullReason(redisRun('1Mi'), [{ ...ended(WORDS), isTerminating: true }]), null);
  t.is(fullReason(runOf(), [ended(WORDS)]), null, 'the embedded store has no such limit');
});

test('once the coordinator is gone it is known by the condition', (t) => {
  t.is(fullReason(redisRun('1Mi', told(fullText(WORDS))), []), fullText(WORDS));
  t.is(fullText(fullText(WORDS)), fullText(WORDS), 'which does not grow with each look');
});

test('a higher limit ends it, though coordinators that met the old one are still there', (t) => {
  t.is(fullReason(redisRun('2Mi', told(fullText(WORDS))), [ended(WORDS)]), null);
  t.is(fullReason(redisRun(undefined, told(fullText(WORDS))), [ended(WORDS)]), null, 'the usual limit is higher');
  t.is(fullReason(redisRun('512Ki'), [ended(WORDS)]), WORDS, 'a lower one does not');
});
