import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';

/** One process of a first start: waits for the moment that all share, makes the authority and a certificate, tells what it found. */
const [dir = '', runId = '', role = 'client', startMs = '0'] = process.argv.slice(2);
while (Date.now() < Number(startMs));
const { isNew, caPath } = await ensureDevCa(dir, runId);
await issueCertificate(dir, role === 'client' ? { role } : { role: 'worker', workerId: role });
process.stdout.write(JSON.stringify({ isNew, caPath }));
