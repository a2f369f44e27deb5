import { type Identity, spiffeId } from '../tls/identity.ts';

/** What a call asks for, as far as it matters to who may make it. */
export type Request =
  | { readonly service: 'worker'; readonly workerId: string }
  | { readonly service: 'run' }
  | { readonly service: 'coordinator' };

/**
 * Null where the caller may; otherwise why not, for the caller to read. A worker speaks only as itself, unless its certificate is that of
 * all workers; only clients ask about the run, and whoever belongs to the run may ask a coordinator who it is.
 */
export function whyDenied(caller: Identity | null, runId: string, request: Request): string | null {
  if (caller === null) return 'the certificate carries no identity of the form spiffe://rollout/<runId>/…';
  const name = spiffeId(caller);
  if (caller.runId !== runId) return `${name} belongs to another run; this is ${runId}`;
  switch (request.service) {
    case 'worker':
      return isWorker(caller, request.workerId) ? null : `${name} may not speak as worker ${request.workerId}`;
    case 'run':
      return caller.role === 'client' ? null : `${name} is no client of the run`;
    case 'coordinator':
      return caller.role === 'authority' ? `${name} is no caller` : null;
  }
}

function isWorker(caller: Identity, workerId: string): boolean {
  return caller.role === 'workers' || (caller.role === 'worker' && caller.workerId === workerId);
}
