import test from 'ava';
import { probePages } from '../../../../operator/kube/probes.ts';

test('a page lists every check, and is 200 only where all hold', async (t) => {
  let why: string | null = 'not synced: Pod';
  const pages = probePages({ alive: { loop: () => null }, ready: { caches: () => why } });
  const page = async (path: string): Promise<{ readonly status: number; readonly body: string } | undefined> => pages[path]?.();
  t.like(await page('/healthz'), { status: 200, body: '[+] loop: ok\nok\n' });
  t.like(await page('/readyz'), { status: 503, body: '[+] loop: ok\n[-] caches: not synced: Pod\nfailed\n' });
  why = null;
  t.like(await page('/readyz'), { status: 200, body: '[+] loop: ok\n[+] caches: ok\nok\n' });
});

test('what only a restart mends fails both', async (t) => {
  const pages = probePages({ alive: { worker: () => 'stuck' }, ready: {} });
  t.is((await pages['/healthz']?.())?.status, 503);
  t.is((await pages['/readyz']?.())?.status, 503);
});
