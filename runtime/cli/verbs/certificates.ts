import { ensureDevCa, hasAuthorityKey, issueCertificate } from '../../tls/ca.ts';
import { slotName } from '../process-config.ts';

/**
 * Makes the authority of a run and the certificates of its processes. Each process would make its own, but loading the library for it
 * is a quarter of a process's start, and here it is loaded once. Failures are left to the process: it tries again, and its log says why.
 */
export async function prepareCertificates(
  tlsDir: string,
  runId: string,
  workers: number,
): Promise<{ readonly isNew: boolean; readonly caPath: string }> {
  const ca = await ensureDevCa(tlsDir, runId);
  if (!(await hasAuthorityKey(tlsDir))) return ca;
  const workerIds = Array.from({ length: workers }, (_, n) => slotName(n + 1));
  await Promise.allSettled([
    issueCertificate(tlsDir, { role: 'coordinator', hosts: [] }),
    issueCertificate(tlsDir, { role: 'client' }),
    ...workerIds.map((workerId) => issueCertificate(tlsDir, { role: 'worker', workerId })),
  ]);
  return ca;
}
