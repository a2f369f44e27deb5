import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
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
  /** The last good one. */
  pair(): Pair;
  /** Calls back with each pair that takes the place of the one before, until it is stopped. The files are looked at while anybody follows. */
  follow(onPair: (pair: Pair) => void): Timer;
  view(): CertificateView;
}

/**
 * The files as they are now, and again whenever one changes. A set that no peer would accept (somebody is just replacing the files, or
 * has put a wrong or an expired one there) is not used: the last good one stays, and the log says so. At the start it is refused.
 * The watcher that grpc-js has would take any, or drop every connection meanwhile.
 */
export function watchCertificate(files: TlsFiles, runId: string | null, log: Log, clock: Clock = systemClock): WatchedCertificate {
  const pair = readPair(files, null, clock);
  if (runId !== null && pair.identity.runId !== runId)
    throw unusable(`${files.certPath} is of run ${pair.identity.runId}, not of ${runId}`);
  return new CertificateWatch(files, pair, log, clock);
}

class CertificateWatch implements WatchedCertificate {
  readonly #files: TlsFiles;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #followers = new Set<(pair: Pair) => void>();
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

  pair(): Pair {
    return this.#pair;
  }

  follow(onPair: (pair: Pair) => void): Timer {
    // Each has a function of its own, also where one is given twice.
    const follower = (pair: Pair): void => onPair(pair);
    if (this.#followers.size === 0) for (const path of this.#paths()) watch(path, this.#reload);
    this.#followers.add(follower);
    return { stop: () => this.#leave(follower) };
  }

  #leave(follower: (pair: Pair) => void): void {
    if (!this.#followers.delete(follower) || this.#followers.size > 0) return;
    for (const path of this.#paths()) unwatchFile(path, this.#reload);
  }

  #read(): void {
    try {
      this.#pair = readPair(this.#files, this.#pair.identity, this.#clock);
    } catch (error) {
      return this.#refuse(error instanceof Error ? error.message : String(error));
    }
    if (this.#refused !== null) this.#log.info({ path: this.#files.certPath }, 'the certificate files are good again, and taken');
    this.#refused = null;
    for (const follower of this.#followers) follower(this.#pair);
  }

  #refuse(refused: string): void {
    this.#refused = refused;
    const inUseUntil = new Date(this.#pair.expiresAtMs).toISOString();
    this.#log.warn({ refused, inUseUntil }, 'changed certificate files are not taken, the last good ones stay');
  }

  #paths(): readonly string[] {
    return Object.values(this.#files) as string[];
  }
}

/** Not persistent: it alone does not keep the process alive. Node looks at a path once for all who watch it, however many they are. */
function watch(path: string, onChange: () => void): void {
  watchFile(path, { interval: WATCH_MS, persistent: false }, onChange).setMaxListeners(0);
}

/** `wanted`: the name that it must have; null for any. */
function readPair(files: TlsFiles, wanted: Identity | null, clock: Clock): Pair {
  const pem: Pem = { ca: read(files.caPath), cert: read(files.certPath), key: read(files.keyPath) };
  const judged = judgePair(pem, files, wanted, clock.wallMs());
  if (judged.kind === 'flawed') throw unusable(judged.flaw);
  try {
    createSecureContext({ ca: judged.pair.ca, cert: pem.cert, key: pem.key });
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
