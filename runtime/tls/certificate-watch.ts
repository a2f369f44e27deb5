import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { experimental } from '@grpc/grpc-js';
import { type Clock, systemClock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import type { TlsFiles } from './ca.ts';
import type { Identity } from './identity.ts';
import { judgePair, type Pair, type Pem } from './pair.ts';

/** How soon a changed file is seen. */
const WATCH_MS = 1_000;

/** How the certificate of this process stands. */
export interface CertificateView {
  /** Of the one in use; wall clock. */
  readonly expiresAtMs: number;
  /** Why the files as they are now are not in use; null where they are. */
  readonly refused: string | null;
}

export interface WatchedCertificate {
  readonly provider: experimental.CertificateProvider;
  view(): CertificateView;
}

/**
 * The files as they are now, and again whenever one changes. A set that no peer would accept (somebody is just replacing the files, or
 * has put a wrong or an expired one there) is not used: the last good one stays, and the log says so. At the start it is refused.
 * grpc-js' own watcher would take any, or drop every connection meanwhile.
 */
export function watchCertificate(files: TlsFiles, runId: string | null, log: Log, clock: Clock = systemClock): WatchedCertificate {
  const pair = readPair(files, null, clock);
  if (runId !== null && pair.identity.runId !== runId)
    throw unusable(`${files.certPath} is of run ${pair.identity.runId}, not of ${runId}`);
  const watch = new CertificateWatch(files, pair, log, clock);
  return { provider: watch, view: () => watch.view() };
}

class CertificateWatch implements experimental.CertificateProvider {
  readonly #files: TlsFiles;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #onCa = new Set<experimental.CaCertificateUpdateListener>();
  readonly #onIdentity = new Set<experimental.IdentityCertificateUpdateListener>();
  readonly #reload = (): void => this.#read();
  #pair: Pair;
  #refused: string | null = null;

  constructor(files: TlsFiles, pair: Pair, log: Log, clock: Clock) {
    this.#files = files;
    this.#pair = pair;
    this.#log = log;
    this.#clock = clock;
  }

  view(): CertificateView {
    return { expiresAtMs: this.#pair.expiresAtMs, refused: this.#refused };
  }

  // grpc-js is told later, not at once: it adds its own listener only after this call.
  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#startFirst();
    this.#onCa.add(listener);
    queueMicrotask(() => this.#tellCa(listener));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#onCa.delete(listener);
    this.#stopLast();
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#startFirst();
    this.#onIdentity.add(listener);
    queueMicrotask(() => this.#tellIdentity(listener));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#onIdentity.delete(listener);
    this.#stopLast();
  }

  #read(): void {
    try {
      this.#pair = readPair(this.#files, this.#pair.identity, this.#clock);
    } catch (error) {
      return this.#refuse(error instanceof Error ? error.message : String(error));
    }
    if (this.#refused !== null) this.#log.info({ path: this.#files.certPath }, 'the certificate files are good again, and taken');
    this.#refused = null;
    for (const listener of this.#onCa) this.#tellCa(listener);
    for (const listener of this.#onIdentity) this.#tellIdentity(listener);
  }

  #refuse(refused: string): void {
    this.#refused = refused;
    const inUseUntil = new Date(this.#pair.expiresAtMs).toISOString();
    this.#log.warn({ refused, inUseUntil }, 'changed certificate files are not taken, the last good ones stay');
  }

  #tellCa(listener: experimental.CaCertificateUpdateListener): void {
    listener({ caCertificate: this.#pair.ca });
  }

  #tellIdentity(listener: experimental.IdentityCertificateUpdateListener): void {
    listener({ certificate: this.#pair.cert, privateKey: this.#pair.key });
  }

  #startFirst(): void {
    if (this.#onCa.size + this.#onIdentity.size > 0) return;
    // Not persistent: it alone does not keep the process alive.
    for (const path of this.#paths()) watchFile(path, { interval: WATCH_MS, persistent: false }, this.#reload);
  }

  #stopLast(): void {
    if (this.#onCa.size + this.#onIdentity.size > 0) return;
    for (const path of this.#paths()) unwatchFile(path, this.#reload);
  }

  #paths(): readonly string[] {
    return Object.values(this.#files) as string[];
  }
}

/** `wanted`: the name that it must have; null for any. */
function readPair(files: TlsFiles, wanted: Identity | null, clock: Clock): Pair {
  const pem: Pem = { ca: read(files.caPath), cert: read(files.certPath), key: read(files.keyPath) };
  const judged = judgePair(pem, files, wanted, clock.wallMs());
  if (judged.kind === 'flawed') throw unusable(judged.flaw);
  try {
    createSecureContext(pem);
  } catch (cause) {
    throw unusable(
      `${files.certPath}, ${files.keyPath} and ${files.caPath} do not make a certificate that can be used (${String(cause)})`,
      cause,
    );
  }
  return judged.pair;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unusable(`${path} cannot be read (${String(cause)})`, cause);
  }
}

function unusable(flaw: string, cause?: unknown): RolloutError {
  const message = `${flaw}. No peer would accept that. Put a right one there, or set the clock right; where the run makes its own certificates, a file that is removed is made again`;
  return new RolloutError('TLS_INVALID', message, { cause });
}
