import { Buffer } from 'node:buffer';
import { type Random, seededRandom } from '../../runtime/base/random.ts';
import { BAD_LINES } from './bad-lines.ts';
import { batchLine } from './batch-lines.ts';
import { between, oneOf } from './seed.ts';
import type { Habit } from './zoo/habits.ts';
import { HABITS } from './zoo/habits.ts';
import { REPLY_NAMES, reply, status } from './zoo/replies.ts';
import type { Reply } from './zoo/reply.ts';

export type Victim = 'worker' | 'coordinator' | 'everything';

export interface Kill {
  readonly victim: Victim;
  /** Which worker, from 0, of those that live. */
  readonly nth: number;
  /** So many requests are waited for, and then so long after the victim is there; without requests it falls into a start. */
  readonly afterRequests: number;
  readonly afterMs: number;
}

/** What a seed says of one run: its input, its servers, its options and what is killed when. */
export interface BlackBoxPlan {
  readonly input: Uint8Array;
  readonly args: readonly string[];
  readonly servers: readonly { readonly habit: Habit; readonly serviceMs: number }[];
  readonly kills: readonly Kill[];
}

export function blackBoxPlan(seed: number): BlackBoxPlan {
  const random = seededRandom(seed);
  const input = drawInput(random);
  const args = drawArgs(random);
  const illShare = between(random, 30, 55) / 100;
  const servers = Array.from({ length: between(random, 1, 3) }, (_, index) => ({
    habit: HABITS.byItem(seed * 10 + index, illShare, DRAWN),
    serviceMs: between(random, 40, 150),
  }));
  const kills = Array.from({ length: between(random, 2, 3) }, () => drawKill(random));
  return { input, args, servers, kills };
}

/** Too slow for many of them, or results, which here come from the server's own habit and name their item. */
const NOT_DRAWN = /Retry-After|an empty text|comes slowly|collected into/;
/** They end an item at once, or pause the run: drawn less often, so that most items meet several replies. */
const ENDING =
  /^HTTP 4(?!08|09|29$)|insufficient_quota|redirection|web page|login page|names 40[01]|NaN|no UTF-8|two JSON|with a text|compressed/;

const BY_NAME: readonly Reply[] = REPLY_NAMES.filter((name) => !NOT_DRAWN.test(name)).flatMap((name) =>
  Array.from({ length: ENDING.test(name) ? 1 : 4 }, () => reply(name)),
);

const DRAWN: readonly Reply[] = [
  ...BY_NAME,
  ...[429, 503].flatMap((code) => [status(code, { 'retry-after': '1' }), status(code, { 'retry-after-ms': '200' })]),
  { kind: 'hang' },
  { kind: 'slow', body: '{"choices": [{}', forMs: 500 },
];

/** Good lines, some of which ask for a stream, with bad, repeated and blank ones among them. */
function drawInput(random: Random): Uint8Array {
  const lines: Uint8Array[] = [];
  const good = between(random, 40, 60);
  for (let item = 0; item < good; item += 1) {
    const line = batchLine(`good-${item}`);
    lines.push(Buffer.from(random.next() < 0.2 ? line.replace('"body":{', '"body":{"stream":true,') : line));
    const dice = between(random, 1, 10);
    if (dice === 1) lines.push(oneOf(random, BAD));
    if (dice === 2) lines.push(Buffer.from(batchLine(`good-${between(random, 0, item)}`)));
    if (dice === 3) lines.push(Buffer.from(oneOf(random, ['', '  ', '\r'])));
  }
  const ends = lines.map((line, index) => Buffer.concat([line, Buffer.from(index === lines.length - 1 && good % 2 === 0 ? '' : '\n')]));
  return Buffer.concat(ends);
}

const BAD = BAD_LINES.filter(([code]) => code !== 'line_too_long').map(([, line]) => line) as [Uint8Array, ...Uint8Array[]];

function drawArgs(random: Random): readonly string[] {
  const fixed = ['--timeout', '2s', '--wait-backend', '20s'];
  const drawn = {
    '--workers': between(random, 1, 2),
    '--concurrency': between(random, 2, 8),
    '--max-attempts': between(random, 1, 4),
    '--order': oneOf(random, ['input', 'completion']),
  };
  return [
    ...fixed,
    ...Object.entries(drawn).flatMap(([flag, value]) => [flag, String(value)]),
    ...(random.next() < 0.3 ? ['--stragglers'] : []),
  ];
}

function drawKill(random: Random): Kill {
  const victim = oneOf<Victim>(random, ['worker', 'worker', 'coordinator', 'coordinator', 'everything']);
  const isInStart = random.next() < 0.25;
  const afterRequests = isInStart ? 0 : between(random, 1, 20);
  return { victim, nth: between(random, 0, 2), afterRequests, afterMs: between(random, 0, isInStart ? 1_500 : 300) };
}
