import { createHash } from 'node:crypto';
import { seededRandom } from '../../../runtime/base/random.ts';
import { fine } from './fine.ts';
import type { Reply } from './reply.ts';

/** One request, as a habit sees it. */
export interface Asked {
  /** The text of the first message, or the input or prompt. */
  readonly item: string;
  /** How often this item has been asked, from 1. */
  readonly nth: number;
  /** How often anything has been asked, from 1. */
  readonly total: number;
  /** Since the server's first request. */
  readonly sinceFirstMs: number;
  readonly url: string;
  readonly isStream: boolean;
  /** The client's end of the connection, by which its process is found. */
  readonly peerPort: number;
}

export type Habit = (asked: Asked) => Reply | Promise<Reply>;

export const FINE: Habit = ({ url, item, isStream }) => fine(url, item, isStream);

/** What makes a habit of replies. */
export const HABITS: Readonly<Record<'always', (reply: Reply) => Habit>> &
  Readonly<Record<'goneFor' | 'illAfter' | 'illFirst', (n: number, reply: Reply) => Habit>> &
  Readonly<Record<'illFor', (word: string, reply: Reply) => Habit>> &
  Readonly<Record<'byChance' | 'byItem', (seed: number, illShare: number, replies: readonly Reply[]) => Habit>> = {
  always:
    (reply: Reply): Habit =>
    () =>
      reply,
  /** Ill for so long after the first request, then fine. */
  goneFor:
    (ms: number, reply: Reply): Habit =>
    (asked) =>
      asked.sinceFirstMs < ms ? reply : FINE(asked),
  /** Fine until so many requests have come, then ill for good. */
  illAfter:
    (requests: number, reply: Reply): Habit =>
    (asked) =>
      asked.total > requests ? reply : FINE(asked),
  /** Ill the first times that an item is asked. */
  illFirst:
    (times: number, reply: Reply): Habit =>
    (asked) =>
      asked.nth <= times ? reply : FINE(asked),
  /** Ill for items whose text contains the word. */
  illFor:
    (word: string, reply: Reply): Habit =>
    (asked) =>
      asked.item.includes(word) ? reply : FINE(asked),
  /** For each request one of the replies or a fine answer, by chance. */
  byChance: (seed: number, illShare: number, replies: readonly Reply[]): Habit => {
    const random = seededRandom(seed);
    return (asked) => (random.next() < illShare ? (replies[Math.floor(random.next() * replies.length)] ?? FINE(asked)) : FINE(asked));
  },
  /** As by chance, but what an item is answered does not depend on the order in which requests arrive, which no seed can fix. */
  byItem:
    (seed: number, illShare: number, replies: readonly Reply[]): Habit =>
    (asked) =>
      HABITS.byChance(hash(`${seed} ${asked.item} ${asked.nth}`), illShare, replies)(asked),
};

function hash(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
