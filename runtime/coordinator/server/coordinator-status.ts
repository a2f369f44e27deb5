import { assertNever } from '../../base/assert.ts';

/** Where a coordinator stands that does not serve. */
export type CoordinatorStatus =
  | { readonly kind: 'starting' }
  /** Nothing is begun until there is space again. */
  | { readonly kind: 'no-space'; readonly shortage: string }
  /** It asks for the lease. */
  | { readonly kind: 'candidate' }
  /** Another coordinator holds the lease, and this one would follow it. */
  | { readonly kind: 'passive' }
  /** It holds the lease and reads what its predecessors have left. */
  | { readonly kind: 'taking-over' }
  /** It has served, or failed, and is about to be gone. */
  | { readonly kind: 'ending' };

export const STARTING: CoordinatorStatus = { kind: 'starting' };

/** Why a coordinator that does not serve is not ready, in one line; null for one that stands by. */
export function unreadiness(coordinatorStatus: CoordinatorStatus): string | null {
  switch (coordinatorStatus.kind) {
    case 'starting':
      return 'not yet standing: it is starting';
    case 'no-space':
      return coordinatorStatus.shortage;
    case 'candidate':
      return 'not yet standing: it asks for the lease';
    case 'passive':
      return null;
    case 'taking-over':
      return 'not yet serving: it reads what is recorded';
    case 'ending':
      return 'it is ending';
    default:
      return assertNever(coordinatorStatus);
  }
}
