import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import tls from 'node:tls';
import { RolloutError } from '../base/errors.ts';
import { authorityProblem, namesCertificate } from './authority-pem.ts';

/**
 * The authorities whose certificates a model server may have: those that Node trusts, and beside them those of `caCert`, SSL_CERT_FILE,
 * SSL_CERT_DIR and NODE_EXTRA_CA_CERTS. Null where nothing but the last was named, so that Node's own remain.
 */
export async function loadAuthorities(
  caCert: string | null,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly string[] | null> {
  const files = [
    { file: caCert ?? '', name: '--ca-cert (caCert in a settings file)' },
    { file: env['SSL_CERT_FILE'] ?? '', name: 'SSL_CERT_FILE' },
  ].filter(({ file }) => file !== '');
  const dirs = (env['SSL_CERT_DIR'] ?? '').split(':').filter((dir) => dir !== '');
  if (files.length === 0 && dirs.length === 0) return null;
  const named = await Promise.all(files.map(({ file, name }) => readAuthority(file, name)));
  const found = await Promise.all(dirs.map(authoritiesIn));
  // Node has read it for its own list alone, and has warned where it could not.
  const extra = await readFile(env['NODE_EXTRA_CA_CERTS'] ?? '', 'utf8').catch(() => '');
  return [...tls.rootCertificates, ...named, ...found.flat(), ...[extra].filter(namesCertificate)];
}

async function readAuthority(file: string, name: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw unusable(file, name, error.message);
  });
  const problem = authorityProblem(bytes);
  if (problem !== null) throw unusable(file, name, problem);
  return bytes.toString('utf8');
}

/** A folder of authorities holds links and other files too: only what is a certificate counts. */
async function authoritiesIn(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(dir, name), 'utf8').catch(() => '')));
  return [...new Set(texts)].filter(namesCertificate);
}

function unusable(file: string, name: string, why: string): RolloutError {
  return new RolloutError('CONFIG_INVALID', `${name}: ${file} cannot be used as the certificate of an authority: ${why}`);
}
