import { Metadata, type ServerUnaryCall, type ServiceError } from '@grpc/grpc-js';
import { RolloutError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { CoordinatorInfo } from '../model/status.ts';
import { identityFromAltNames } from '../tls/identity.ts';
import { type Request, whyDenied } from './access.ts';
import type { CoordinatorCore } from './core.ts';
import { type Refusal, statusOf } from './status.ts';
import type { Waiters } from './waiters.ts';

/** What every handler needs: who is served by what, and how a refusal is told. */
export interface Serving {
  readonly runId: string;
  readonly coordinatorInfo: () => CoordinatorInfo;
  /** Null while the coordinator is passive. One that is not sure to be the primary has a core, and sends workers on (L46). */
  readonly core: () => CoordinatorCore | null;
  readonly log: Log;
  readonly waiters: Waiters;
}

/** A call of either kind. */
export type Call = Pick<ServerUnaryCall<unknown, unknown>, 'getAuthContext' | 'cancelled'> & {
  on(event: 'cancelled', listener: () => void): unknown;
};

/** The core that may serve this call, or why there is none. */
export function primary(serving: Serving, call: Call, request: Request): { readonly core: CoordinatorCore } | Refusal {
  const detail = whyDenied(callerOf(call), serving.runId, request);
  if (detail !== null) return { kind: 'denied', detail };
  const core = serving.core();
  const { role, primaryAddress } = serving.coordinatorInfo();
  const isRefused = core === null || (request.service === 'worker' && role !== 'primary');
  return isRefused ? { kind: 'not-leader', primaryAddress } : { core };
}

export function callerOf(call: Call): ReturnType<typeof identityFromAltNames> {
  return identityFromAltNames(call.getAuthContext().sslPeerCertificate?.subjectaltname);
}

/** Hears when the caller cancels, disconnects, or lets the deadline pass. */
export function onGone(call: Call, gone: () => void): void {
  call.on('cancelled', gone);
  if (call.cancelled) gone();
}

/**
 * A fenced coordinator tells nothing but that (L5). That a caller hung up is no fault: every worker that is killed does. Any other
 * error stands in the log, and the caller may repeat the call.
 */
export function refusalOf(error: unknown, log: Log, method: string): Refusal {
  if (error instanceof RolloutError && error.code === 'FENCED') return { kind: 'fenced' };
  if (error instanceof RolloutError && error.code === 'LEDGER_BEHIND') return { kind: 'behind', detail: error.message };
  if (error instanceof RolloutError && error.code === 'COORDINATOR_UNREACHABLE') {
    log.debug({ method }, 'a caller hung up');
    return { kind: 'failed' };
  }
  log.error({ err: error, method }, 'a call failed');
  return { kind: 'failed' };
}

/** A refusal as grpc-js sends it. */
export function wireErrorOf(refusal: Refusal): Pick<ServiceError, 'code' | 'details' | 'metadata'> {
  const { code, details, trailer } = statusOf(refusal);
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailer)) metadata.set(key, value);
  return { code, details, metadata };
}
