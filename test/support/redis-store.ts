import type { RedisStore } from '../../runtime/model/store.ts';

/** As settings name it where nothing but its URL is given. */
export function redisStore(url: string): RedisStore {
  return {
    kind: 'redis',
    url,
    passwordFile: null,
    sentinelPasswordFile: null,
    sentinelUsername: null,
    sentinelCaCert: null,
    caCert: null,
    cert: null,
    key: null,
  };
}
