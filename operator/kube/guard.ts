import { createHash } from 'node:crypto';
import type { Clock } from '../../runtime/base/clock.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { KubeClient } from './client.ts';
import { SUBJECT_ACCESS_REVIEW, TOKEN_REVIEW } from './kind.ts';
import { type Page, textPage } from './page.ts';
import { accessReview, bearerToken, isAllowed, tokenReview, userOf } from './review.ts';

/** Null where the caller may have the page; else what he is answered. `authorization`: the header of that name. */
export type Guard = (path: string, authorization: string | undefined) => Promise<Page | null>;

export interface GuardOptions {
  readonly client: Pick<KubeClient, 'create'>;
  readonly clock: Clock;
  readonly log: Log;
}

type Verdict = { readonly kind: 'allowed' } | { readonly kind: 'unknown' } | { readonly kind: 'forbidden'; readonly user: string };

interface Known {
  readonly verdict: Verdict;
  readonly untilMs: number;
}

/** A right that is given or taken counts after this time. */
const KEPT_MS = 60_000;
/** Collectors are few. Tokens that nobody knows must not fill the memory. */
const MAX_KNOWN = 256;
/** Reviews at the same time: whoever tries tokens must not have the API server asked without end. */
const MAX_REVIEWS = 8;
const CHALLENGE = { 'www-authenticate': 'Bearer' } as const;

/**
 * Asks the API server who the caller is (TokenReview), and whether he may get this path (SubjectAccessReview). What it says is kept for a
 * minute. No token is kept, but a digest of it.
 */
export function createGuard(options: GuardOptions): Guard {
  const reviews = new Reviews(options);
  return async (path, authorization) => {
    const token = bearerToken(authorization);
    if (token === null) return unauthorized('who asks has to show a token of the cluster: Authorization: Bearer …');
    return refusalOf(await reviews.verdict(path, token), path);
  };
}

function refusalOf(verdict: Verdict | 'busy' | 'unanswered', path: string): Page | null {
  if (verdict === 'busy') return textPage(503, 'too many callers are being looked at: try again in a moment');
  if (verdict === 'unanswered') return textPage(503, 'the API server could not be asked who this is: try again in a moment');
  if (verdict.kind === 'allowed') return null;
  if (verdict.kind === 'unknown') return unauthorized('the API server does not know this token, or it has expired');
  return textPage(
    403,
    `${verdict.user} may not get ${path}: bind a ClusterRole to that account whose rules have the verb get for the nonResourceURL ${path}`,
  );
}

function unauthorized(why: string): Page {
  return { ...textPage(401, why), headers: CHALLENGE };
}

class Reviews {
  readonly #options: GuardOptions;
  readonly #known = new Map<string, Known>();
  /** Callers that show the same token at once share one review. */
  readonly #pending = new Map<string, Promise<Verdict | 'unanswered'>>();

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  async verdict(path: string, token: string): Promise<Verdict | 'busy' | 'unanswered'> {
    const key = createHash('sha256').update(`${path}\0${token}`).digest('base64');
    const known = this.#known.get(key);
    if (known !== undefined && this.#options.clock.monotonicMs() < known.untilMs) return known.verdict;
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    if (this.#pending.size >= MAX_REVIEWS) return 'busy';
    const review = this.#review(key, path, token);
    this.#pending.set(key, review);
    return review;
  }

  async #review(key: string, path: string, token: string): Promise<Verdict | 'unanswered'> {
    try {
      const verdict = await this.#ask(path, token);
      this.#keep(key, verdict);
      return verdict;
    } catch (error) {
      this.#options.log.warn({ err: error, path }, 'who asks for a page could not be found out');
      return 'unanswered';
    } finally {
      this.#pending.delete(key);
    }
  }

  async #ask(path: string, token: string): Promise<Verdict> {
    const { client } = this.#options;
    const user = userOf(await client.create(TOKEN_REVIEW, tokenReview(token)));
    if (user === null) return { kind: 'unknown' };
    const review = await client.create(SUBJECT_ACCESS_REVIEW, accessReview(user, path));
    return isAllowed(review) ? { kind: 'allowed' } : { kind: 'forbidden', user: user.username ?? 'this user' };
  }

  #keep(key: string, verdict: Verdict): void {
    this.#known.delete(key);
    this.#known.set(key, { verdict, untilMs: this.#options.clock.monotonicMs() + KEPT_MS });
    for (const oldest of [...this.#known.keys()].slice(0, -MAX_KNOWN)) this.#known.delete(oldest);
  }
}
