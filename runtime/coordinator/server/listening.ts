import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { onParentMessage, tellParent } from '../../base/process/supervised.ts';
import type { Lease } from '../../model/lease.ts';
import type { CoordinatorInfo } from '../../model/status.ts';
import { startServer } from '../../rpc/server.ts';
import { keepCertificateFresh, serverCredentials } from '../../rpc/tls.ts';
import { type CertificateRequest, certificatesMade, ensureDevCa, issueCertificate, type TlsFiles } from '../../tls/ca.ts';
import { type CertificateView, watchCertificate } from '../../tls/certificate-watch.ts';
import type { WriteCounts } from '../perform/cycle.ts';
import type { Loop } from '../perform/loop.ts';
import type { CoordinatorSettings } from '../settings.ts';
import type { CoordinatorStatus } from './coordinator-status.ts';
import type { HealthView } from './health-answer.ts';
import { reachable } from './reachable.ts';

/** What callers get to read their last answers; they call again elsewhere. */
const SERVER_GRACE_MS = 300;

/** Where this coordinator stands: passive until it serves. */
export interface ServerContext {
  core: Loop | null;
  lease: Lease | null;
  /** Asked where there is a core. */
  isLeaseFresh: () => boolean;
  /** Counts as long as there is no core, and at the end. */
  coordinatorStatus: CoordinatorStatus;
  /** Why the store cannot be used now; null where it can. */
  storeTrouble: string | null;
  /** Of its term; null before it serves. */
  writes?: WriteCounts | null;
  /** Null before it listens. */
  certificate?: (() => CertificateView) | null;
}

export function healthOf(context: ServerContext, version: string, wallMs: number): HealthView {
  const { core, lease, coordinatorStatus, storeTrouble, writes, certificate } = context;
  return {
    version,
    coordinatorStatus,
    storeTrouble,
    leaseEpoch: lease?.epoch ?? null,
    status: coordinatorStatus.kind === 'ending' ? null : (core?.status() ?? null),
    writes: writes ?? null,
    certificate: certificateHealth(certificate?.() ?? null, wallMs),
  };
}

function certificateHealth(view: CertificateView | null, wallMs: number): HealthView['certificate'] {
  return view === null ? null : { expiresInSeconds: Math.floor((view.expiresAtMs - wallMs) / 1_000), refused: view.refused };
}

export interface Listening {
  readonly address: string;
  stop(): Promise<void>;
}

export interface ListenOptions {
  readonly settings: CoordinatorSettings;
  readonly runId: string;
  readonly context: ServerContext;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers from the start: as a passive coordinator until there is a core. */
export async function startListening({ settings, runId, context, clock, log }: ListenOptions): Promise<Listening> {
  const request = certificateRequest(settings);
  const tls = await certificateFor(settings, request, runId);
  const renewal = keepCertificateFresh(settings.tlsDir, request, tls, clock, log);
  const watched = watchCertificate(tls, runId, log, clock);
  context.certificate = () => watched.view();
  const server = await startServer({
    listen: settings.listen,
    credentials: serverCredentials(tls, log, watched),
    runId,
    clock,
    log,
    core: () => context.core,
    coordinatorInfo: () => infoOf(context, settings.advertise ?? server.address),
  });
  tellParent({ kind: 'listening', address: server.address });
  onParentMessage((message) => {
    if (message.kind === 'worker-exited') context.core?.tell({ kind: 'worker-exited', worker: message.workerId, pid: message.pid });
  });
  return {
    address: server.address,
    stop: async () => {
      renewal.stop();
      await server.stop(SERVER_GRACE_MS);
    },
  };
}

/** L46: one whose lease has run out does not know whether it still is the primary. */
function infoOf({ core, lease, isLeaseFresh }: ServerContext, own: string): CoordinatorInfo {
  const isPrimary = core !== null && isLeaseFresh();
  const seen = core === null ? (lease?.address ?? '') : '';
  return { epoch: lease?.epoch ?? 0, role: isPrimary ? 'primary' : 'passive', primaryAddress: reachable(isPrimary ? own : seen) };
}

function certificateRequest({ listen }: CoordinatorSettings): CertificateRequest {
  return { role: 'coordinator', hosts: [listen.slice(0, listen.lastIndexOf(':')).replaceAll(/[[\]]/g, '')] };
}

/** The coordinator's certificate; where nobody has brought an authority, a dev CA is made first. */
async function certificateFor(settings: CoordinatorSettings, request: CertificateRequest, runId: string): Promise<TlsFiles> {
  const ca = await ensureDevCa(settings.tlsDir, runId);
  if (ca.isNew) process.stderr.write(`${certificatesMade(ca.caPath)}\n`);
  return issueCertificate(settings.tlsDir, request);
}
