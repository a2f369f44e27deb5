import { status as Code } from '@grpc/grpc-js';
import type { InvalidField } from './mapping/field-check.ts';

/** gRPC status codes: which the server answers for a refusal, and what the client makes of each. */

export type Refusal =
  | { readonly kind: 'denied'; readonly detail: string }
  | InvalidField
  | { readonly kind: 'not-leader'; readonly primaryAddress: string }
  | { readonly kind: 'fenced' }
  /** The coordinator's store has lost what a caller knows of (L41). */
  | { readonly kind: 'behind'; readonly detail: string }
  /** The coordinator does not know whether it happened, or has a bug; its log says more. */
  | { readonly kind: 'failed' };

export interface RefusalStatus {
  readonly code: Code;
  readonly details: string;
  /** Trailing metadata for programs; the details are for people. */
  readonly trailer: Readonly<Record<string, string>>;
}

export const REFUSAL_KEY = 'rollout-refusal';
export const PRIMARY_KEY = 'rollout-primary';
const NOT_LEADER = 'notLeader';

export function statusOf(refusal: Refusal): RefusalStatus {
  switch (refusal.kind) {
    case 'denied':
      return { code: Code.PERMISSION_DENIED, details: refusal.detail, trailer: {} };
    case 'invalid':
      return { code: Code.INVALID_ARGUMENT, details: `${refusal.field} ${refusal.problem}`, trailer: {} };
    case 'not-leader':
      return {
        code: Code.FAILED_PRECONDITION,
        details: `${NOT_LEADER}: ${refusal.primaryAddress === '' ? 'no primary is known' : `the primary is at ${refusal.primaryAddress}`}`,
        trailer: { [REFUSAL_KEY]: NOT_LEADER, [PRIMARY_KEY]: refusal.primaryAddress },
      };
    case 'fenced':
      return { code: Code.UNAVAILABLE, details: 'fenced: another coordinator has taken over', trailer: {} };
    case 'behind':
      return { code: Code.UNAVAILABLE, details: refusal.detail, trailer: {} };
    case 'failed':
      return { code: Code.INTERNAL, details: "failed: see the coordinator's log; the call may be repeated", trailer: {} };
  }
}

/** Why there is no reply. */
export type Unanswered =
  /** No answer, or none that says anything: try again, here or at another address. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  /** This coordinator is passive; `primaryAddress` is empty where it knows none. */
  | { readonly kind: 'not-leader'; readonly primaryAddress: string }
  /** Trying the same again does not help. */
  | { readonly kind: 'refused'; readonly detail: string };

type Verdict = 'again' | 'never' | 'precondition';

const VERDICTS: Readonly<Record<Code, Verdict>> = {
  // OK without a message is a broken answer.
  [Code.OK]: 'again',
  [Code.CANCELLED]: 'again',
  [Code.UNKNOWN]: 'again',
  [Code.INVALID_ARGUMENT]: 'never',
  [Code.DEADLINE_EXCEEDED]: 'again',
  [Code.NOT_FOUND]: 'never',
  [Code.ALREADY_EXISTS]: 'never',
  [Code.PERMISSION_DENIED]: 'never',
  // A message above the limit, on either side.
  [Code.RESOURCE_EXHAUSTED]: 'never',
  [Code.FAILED_PRECONDITION]: 'precondition',
  [Code.ABORTED]: 'again',
  [Code.OUT_OF_RANGE]: 'never',
  [Code.UNIMPLEMENTED]: 'never',
  [Code.INTERNAL]: 'again',
  [Code.UNAVAILABLE]: 'again',
  [Code.DATA_LOSS]: 'again',
  [Code.UNAUTHENTICATED]: 'never',
};

/** `trailer` answers the value of a key of the trailing metadata. */
export function unansweredOf(code: Code, details: string, trailer: (key: string) => string | undefined): Unanswered {
  const detail = `${Code[code]}: ${readable(details)}`;
  switch (VERDICTS[code]) {
    case 'again':
      return { kind: 'unreachable', detail };
    case 'never':
      return { kind: 'refused', detail };
    case 'precondition':
      return trailer(REFUSAL_KEY) === NOT_LEADER
        ? { kind: 'not-leader', primaryAddress: trailer(PRIMARY_KEY) ?? '' }
        : { kind: 'refused', detail };
  }
}

/** What grpc-js puts around the reason why there is no connection. */
const WRAPPED = /^No connection established\. Last error: (?:Error: )?(.*)\. Resolution note: $/s;
/** How OpenSSL says that it does not know who has signed a certificate. */
const FOREIGN = /self[- ]signed certificate|unable to (?:verify|get)/;

/** Which of the two clocks is wrong, or which file is old, cannot be told from here. */
const UNTIMELY = /certificate (?:is not yet valid|has expired)/;

function readable(details: string): string {
  const reason = WRAPPED.exec(details)?.[1] ?? details;
  if (UNTIMELY.test(reason))
    return `${reason}: by the clock of this machine the coordinator's certificate, or its authority's, is not valid now; compare the clocks of both machines, or have a new certificate made`;
  return FOREIGN.test(reason) ? `${reason}: both sides need certificates of one authority, so copy ca.pem from the coordinator` : reason;
}

/** grpc-js says no more of it: the name servers do not know the name, or do not answer. */
const UNRESOLVED = /\bName resolution failed\b/;

/** Whether nobody could be asked, since the name in the address did not resolve. */
export function isUnresolved(answer: Unanswered): boolean {
  return answer.kind === 'unreachable' && UNRESOLVED.test(answer.detail);
}

/** An answer that does not hold what it must. */
export function notUnderstood({ field, problem }: InvalidField): Unanswered {
  return { kind: 'refused', detail: `the coordinator's answer is not understood: ${field} ${problem}; do both run the same version?` };
}
