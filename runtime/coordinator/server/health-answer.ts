import type { RunStatus } from '../../model/status.ts';
import type { WriteCounts } from '../perform/cycle.ts';
import { type CoordinatorStatus, unreadiness } from './coordinator-status.ts';
import { METRICS_TYPE, metricsText } from './metrics-text.ts';

/** What the health endpoints know of the coordinator. */
export interface HealthView {
  /** Of the program. */
  readonly version: string;
  readonly coordinatorStatus: CoordinatorStatus;
  /** Why the store cannot be used now; null where it can. */
  readonly storeTrouble: string | null;
  /** Of the lease that was seen last, held by any process; null before the first. */
  readonly leaseEpoch: number | null;
  /** Null as long as it does not serve. */
  readonly status: RunStatus | null;
  /** Null before it has served. */
  readonly writes: WriteCounts | null;
  /** Null before it listens. */
  readonly certificate: CertificateHealth | null;
}

export interface CertificateHealth {
  /** Of the certificate in use; below 0 once it has expired, and nobody new can connect. */
  readonly expiresInSeconds: number;
  /** Why the certificate files as they are now are not in use; null where they are. */
  readonly refused: string | null;
}

export interface HealthAnswer {
  readonly statusCode: 200 | 404 | 405 | 503;
  readonly contentType: 'text/plain; charset=utf-8' | typeof METRICS_TYPE | 'application/json';
  readonly body: string;
}

/**
 * `/healthz`: the process lives. `/readyz`: it serves or stands by, or in one line why not. `/health`: where it stands, as JSON.
 * `/workers`: where each worker stands, as JSON. `/metrics`: what Prometheus reads.
 */
export function healthAnswer(method: string, path: string, view: HealthView): HealthAnswer {
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'only GET is answered here');
  switch (path) {
    case '/healthz':
      return text(200, 'ok');
    case '/readyz':
      return readiness(view);
    case '/health':
      return { statusCode: 200, contentType: 'application/json', body: `${JSON.stringify(healthOf(view))}\n` };
    case '/workers':
      return { statusCode: 200, contentType: 'application/json', body: `${JSON.stringify(workersOf(view))}\n` };
    case '/metrics':
      return { statusCode: 200, contentType: METRICS_TYPE, body: metricsText(view) };
    default:
      return text(404, 'nothing is here; there are /healthz, /readyz, /health, /workers and /metrics');
  }
}

function readiness({ coordinatorStatus, storeTrouble, status, certificate }: HealthView): HealthAnswer {
  if (certificate !== null && certificate.expiresInSeconds <= 0) return text(503, 'its certificate has expired: nobody can connect');
  if (status !== null) return text(200, 'primary');
  const why = unreadiness(coordinatorStatus);
  return why === null ? text(200, 'passive') : text(503, storeTrouble === null ? why : `${why}: ${storeTrouble}`);
}

function healthOf({ leaseEpoch, storeTrouble, status, certificate }: HealthView): Record<string, unknown> {
  return {
    active: status !== null,
    role: status === null ? 'passive' : 'primary',
    leaseEpoch,
    workers: status?.workers.length ?? null,
    progress: status === null ? null : progressOf(status),
    storeTrouble,
    certificate,
  };
}

/** Apart from `/health`, since there may be thousands. Null as long as it does not serve. */
function workersOf({ status }: HealthView): Record<string, unknown> {
  const workers = status?.workers.map(({ workerId, state, running, concurrency, detail }) => ({
    workerId,
    state,
    running,
    concurrency,
    detail,
  }));
  return { workers: workers ?? null };
}

function progressOf({ state, items, isIndexed, done, failed, running, handedBack, redone }: RunStatus): Record<string, unknown> {
  return { state: state.kind, items, isIndexed, done, failed, running, handedBack, redone };
}

function text(statusCode: HealthAnswer['statusCode'], line: string): HealthAnswer {
  return { statusCode, contentType: 'text/plain; charset=utf-8', body: `${line}\n` };
}
