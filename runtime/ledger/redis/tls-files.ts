import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { RolloutError } from '../../base/errors.ts';

/** A file of the settings, read: `name` is the option and the setting that give it. */
export interface NamedFile {
  readonly name: string;
  readonly path: string;
  readonly text: string;
}

export interface TlsFiles {
  readonly ca: NamedFile | null;
  readonly cert: NamedFile | null;
  readonly key: NamedFile | null;
}

/** Refuses what no connection can be made with: the client would only repeat what OpenSSL says, and name no file. */
export function requireUsable({ ca, cert, key }: TlsFiles): void {
  if (ca !== null) certificateIn(ca);
  if (cert === null || key === null) return;
  if (!certificateIn(cert).checkPrivateKey(keyIn(key)))
    throw unusable(key, `is not the key of the certificate ${cert.path}`, 'give the key that belongs to it');
}

function certificateIn(file: NamedFile): X509Certificate {
  return parsed(file, () => new X509Certificate(file.text), 'holds no certificate', 'give a PEM file with one');
}

function keyIn(file: NamedFile): KeyObject {
  return parsed(file, () => createPrivateKey(file.text), 'holds no private key without a passphrase', 'give a PEM file with one');
}

function parsed<T>(file: NamedFile, parse: () => T, what: string, fix: string): T {
  try {
    return parse();
  } catch (cause) {
    throw unusable(file, what, fix, cause);
  }
}

function unusable({ name, path }: NamedFile, what: string, fix: string, cause?: unknown): RolloutError {
  return new RolloutError('TLS_INVALID', `${name}: ${path} ${what}: ${fix}`, { cause });
}
