import { X509Certificate } from 'node:crypto';

/**
 * What a file that should hold certificates of authorities holds. OpenSSL takes the certificates before the first one that it cannot
 * read, and Node says nothing of the others, so that a file that was cut is noticed only where a server is refused. Pure.
 */

const BLOCK = /-----BEGIN ((?:TRUSTED |X509 )?CERTIFICATE)-----(?:(?!-----BEGIN )[\s\S])*?-----END \1-----/g;
const BEGIN = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/;
/** Of a certificate in DER form: a sequence of more than 255 bytes. */
const DER = /^\x30\x82/;

/** Whether it says that it holds one, readable or not. */
export function namesCertificate(text: string): boolean {
  return BEGIN.test(text);
}

/** Why not all of it can be used; null where it can. `bytes`: the whole file. */
export function authorityProblem(bytes: Buffer): string | null {
  const text = bytes.toString('latin1');
  const blocks = text.match(BLOCK) ?? [];
  if (BEGIN.test(text.replace(BLOCK, ''))) return 'a certificate in it ends too early: the file was cut';
  if (blocks.length === 0) return withoutCertificate(text);
  const broken = blocks.findIndex((block) => !isReadable(block));
  return broken < 0 ? null : `its certificate ${broken + 1} is damaged`;
}

function withoutCertificate(text: string): string {
  if (text.trim() === '') return 'it is empty';
  if (PRIVATE_KEY.test(text)) return 'it holds a private key, and no certificate';
  if (DER.test(text)) return 'it is not in PEM form, and perhaps in DER form: `openssl x509 -inform der -in FILE -out ca.pem` makes it PEM';
  return 'it holds no certificate in PEM form';
}

function isReadable(block: string): boolean {
  try {
    return new X509Certificate(block).raw.length > 0;
  } catch {
    return false;
  }
}
