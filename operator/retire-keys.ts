import type { NamedFile } from '../runtime/ledger/redis/tls-files.ts';
import { EXPIRE_AFTER_MS } from '../runtime/model/store.ts';
import type { RedisLogin } from './rollout/redis-login.ts';

/** Retires a run, unless a coordinator holds its lease: its keys expire as those of a finished one do. The client is loaded on first use, since most operators never need it. */
export async function retireKeys(login: RedisLogin, runId: string): Promise<'retired' | 'held'> {
  const [{ serverOptions }, { retireRun }] = await Promise.all([
    import('../runtime/ledger/redis/options.ts'),
    import('../runtime/ledger/redis/retire.ts'),
  ]);
  const { url, password, sentinelUsername, sentinelPassword, ca, cert, key } = login;
  const tls = { ca: keyOfSecret('ca.crt', ca), cert: keyOfSecret('tls.crt', cert), key: keyOfSecret('tls.key', key) };
  const sentinelCa = keyOfSecret('sentinel-ca.crt', login.sentinelCa);
  const servers = serverOptions(url, { password, sentinelUsername, sentinelPassword, tls, sentinelCa });
  return (await retireRun(servers, runId, EXPIRE_AFTER_MS)) === null ? 'held' : 'retired';
}

function keyOfSecret(name: string, text: string | null): NamedFile | null {
  return text === null ? null : { name: 'the Secret of the Redis server', path: name, text };
}
