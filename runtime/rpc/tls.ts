import { createSecureContext, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, credentials, type ServerCredentials, type VerifyOptions } from '@grpc/grpc-js';
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type CertificateRequest, hasAuthorityKey, issueCertificate, renewAfterMs, type TlsFiles } from '../tls/ca.ts';
import { type WatchedCertificate, watchCertificate } from '../tls/certificate-watch.ts';
import { identityFromAltNames, spiffeId } from '../tls/identity.ts';
import { type Pem, trustIn } from '../tls/pair.ts';
import { ChannelCredentialsOf, contextOf, ServerCredentialsOf } from './credentials.ts';

/** How often the age of the own certificate is looked at. */
const RENEWAL_CHECK_MS = 60_000;

/** Asks every caller for a certificate of the run's authority; without one the handshake fails. New connections use changed files. */
export function serverCredentials(
  files: TlsFiles,
  log: Log,
  watched: WatchedCertificate = watchCertificate(files, null, log),
): ServerCredentials {
  return new ServerCredentialsOf(watched);
}

/**
 * Shows the own certificate and accepts only a coordinator of run `runId`. The run's identity is what counts, not the host name:
 * a coordinator may be reached by any name or address, and only a coordinator's certificate has the role.
 */
export function clientCredentials(files: TlsFiles, runId: string, log: Log): ChannelCredentials {
  return new ChannelCredentialsOf(watchCertificate(files, null, log), onlyCoordinatorOf(runId));
}

/** The same with a certificate that is in no file. */
export function clientCredentialsOf({ ca, cert, key }: Pem, runId: string): ChannelCredentials {
  const context = createSecureContext(contextOf({ ...(trustIn(ca) ?? { ca, isPartial: false }), cert, key }));
  return credentials.createFromSecureContext(context, onlyCoordinatorOf(runId));
}

function onlyCoordinatorOf(runId: string): VerifyOptions {
  const wanted = spiffeId({ role: 'coordinator', runId });
  const checkServerIdentity = (_host: string, certificate: PeerCertificate): Error | undefined => {
    const identity = identityFromAltNames(certificate.subjectaltname);
    return identity !== null && spiffeId(identity) === wanted ? undefined : new Error(`the server's certificate is not that of ${wanted}`);
  };
  return { checkServerIdentity };
}

/** Renews the certificate at half of its life, for as long as the process runs. A certificate from outside is left to its source. */
export function keepCertificateFresh(dir: string, request: CertificateRequest, files: TlsFiles, clock: Clock, log: Log): Timer {
  const renew = async (): Promise<void> => {
    if (clock.wallMs() < (await renewAfterMs(files)) || !(await hasAuthorityKey(dir))) return;
    await issueCertificate(dir, request, clock);
    log.info({ path: files.certPath }, 'certificate renewed');
  };
  return clock.every(RENEWAL_CHECK_MS, () => {
    renew().catch((error: unknown) => log.error({ err: error }, 'the certificate could not be renewed; it is tried again in a minute'));
  });
}
