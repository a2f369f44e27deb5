import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Random } from '../../runtime/base/random.ts';
import { makeKeyPem, makeServerCertificate } from '../../runtime/tls/certificate.ts';
import type { ServedPair } from '../kube/endpoint.ts';

/** The certificate that the metrics are shown under: made at the start, or brought in a directory and replaced there. */

/** As cert-manager and `kubectl create secret tls` name them. */
const CERT = 'tls.crt';
const KEY = 'tls.key';
/** A Secret takes a minute until it has reached the pod, and is renewed weeks before its end. */
const LOOK_MS = 10_000;

/** `hosts`: what its names say. Nobody can check it. */
export async function ownServingPair(hosts: readonly string[], nowMs: number, random: Random): Promise<ServedPair> {
  const key = await makeKeyPem();
  return { cert: await makeServerCertificate(key, hosts, { nowMs, random }), key };
}

/** Refuses what cannot be shown, in words. */
export async function readServingPair(dir: string): Promise<ServedPair> {
  const cert = await read(join(dir, CERT));
  const key = await read(join(dir, KEY));
  const flaw = flawOf(cert, key);
  if (flaw === null) return { cert, key };
  throw new RolloutError('CONFIG_INVALID', `metrics.tlsDir: ${dir} cannot be used (${flaw}): put a certificate and its key there`);
}

/** Looks whether the files have been replaced. Where they cannot be used, the last good ones stay, and the log says so once. */
export function followServingPair(
  dir: string,
  shown: ServedPair,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  onPair: (pair: ServedPair) => void,
): Timer {
  let last = shown;
  let refused: string | null = null;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      const found = await readServingPair(dir);
      refused = null;
      if (found.cert === last.cert && found.key === last.key) return;
      last = found;
      onPair(found);
    } catch (error) {
      const { message } = error as Error;
      if (message !== refused) log.warn({ refused: message }, 'a changed certificate is not taken, the last good one stays');
      refused = message;
    } finally {
      isLooking = false;
    }
  };
  return clock.every(LOOK_MS, () => void look());
}

async function read(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) => {
    throw new RolloutError(
      'CONFIG_INVALID',
      `metrics.tlsDir: ${path} cannot be read (${error.message}): put a certificate and its key there`,
    );
  });
}

function flawOf(cert: string, key: string): string | null {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? null : `${KEY} is not the key of ${CERT}`;
  } catch (error) {
    return (error as Error).message;
  }
}
