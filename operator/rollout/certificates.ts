import type { Random } from '../../runtime/base/random.ts';
import { type Authority, type Making, makeAuthority, makeCertificate, makeKeyPem } from '../../runtime/tls/certificate.ts';
import { FIELD_MANAGER } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import { isAlreadyThere } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { SECRET, type Secret } from '../kube/kind.ts';
import { controllerOf } from '../kube/object.ts';
import { authorityName, childMeta, identityOf, TLS_ROLES, type TlsRole, tlsName } from './children.ts';
import { runIdOf } from './run-id.ts';
import { CA, CERT, KEY, secretState, textIn } from './tls-secret.ts';

/** The certificates of a run that makes its own: an authority that nobody mounts, and one Secret for each role. */

export interface CertificateDeps {
  readonly client: KubeClient;
  readonly random: Random;
}

/** Makes what is missing and renews what has lived half of its life. Pods see a renewed file within a minute or two, and need no restart. */
export async function ensureCertificates(
  { client, random }: CertificateDeps,
  run: RolloutRun,
  secrets: ReadonlyMap<string, Secret>,
  nowMs: number,
): Promise<void> {
  const secretFor = (role: TlsRole): Secret | null => secrets.get(tlsName(run.metadata.name, role)) ?? null;
  const due = TLS_ROLES.filter((role) => secretState(secretFor(role), nowMs) !== 'good');
  if (due.length === 0) return;
  const making = { nowMs, random };
  const authority = await ensureAuthority(client, run, making);
  // Where somebody has deleted the authority, the others trust one that is gone.
  const isOfAnother = (role: TlsRole): boolean => textIn(secretFor(role), CA) !== authority.certPem;
  for (const role of TLS_ROLES.filter((one) => due.includes(one) || isOfAnother(one))) {
    const keyPem = await makeKeyPem();
    const certPem = await makeCertificate(keyPem, identityOf(role, run), [], authority, making);
    const data = { [CERT]: base64(certPem), [KEY]: base64(keyPem), [CA]: base64(authority.certPem) };
    await client.apply(SECRET, secretOf(run, tlsName(run.metadata.name, role), data), { fieldManager: FIELD_MANAGER, force: true });
  }
}

/** Created, never replaced: of two operators that make one at the same time, the first one's stands. */
async function ensureAuthority(client: KubeClient, run: RolloutRun, making: Making): Promise<Authority> {
  const ref = { namespace: run.metadata.namespace, name: authorityName(run.metadata.name) };
  const found = authorityIn(await client.get(SECRET, ref), run);
  if (found !== null) return found;
  const keyPem = await makeKeyPem();
  const certPem = await makeAuthority(keyPem, runIdOf(run.metadata.uid), making);
  try {
    await client.create(SECRET, secretOf(run, ref.name, { [CERT]: base64(certPem), [KEY]: base64(keyPem) }));
    return { certPem, keyPem };
  } catch (error) {
    if (!isAlreadyThere(error)) throw error;
    const other = authorityIn(await client.get(SECRET, ref), run);
    if (other === null) throw error;
    return other;
  }
}

/** One of an earlier run of the same name is about to go with it: nothing may be signed with it. */
function authorityIn(secret: Secret | null, { metadata }: RolloutRun): Authority | null {
  if (secret !== null && controllerOf(secret)?.uid !== metadata.uid)
    throw new Error(
      `the Secret ${secret.metadata.name} is not of this run: one of an earlier run goes with it, any other has to be deleted`,
    );
  const [certPem, keyPem] = [textIn(secret, CERT), textIn(secret, KEY)];
  return certPem === null || keyPem === null ? null : { certPem, keyPem };
}

function secretOf(run: RolloutRun, name: string, data: Readonly<Record<string, string>>): Secret {
  return { apiVersion: 'v1', kind: 'Secret', metadata: childMeta(run, name, 'coordinator'), type: 'Opaque', data };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
