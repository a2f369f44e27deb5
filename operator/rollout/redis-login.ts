import type { Secret } from '../kube/kind.ts';

/** What opens a Redis server to the operator itself; null: not given. Nothing of it is logged or written down. */
export interface RedisLogin {
  readonly url: string;
  readonly password: string | null;
  readonly sentinelUsername: string | null;
  readonly sentinelPassword: string | null;
  /** PEM. */
  readonly ca: string | null;
  readonly sentinelCa: string | null;
  readonly cert: string | null;
  readonly key: string | null;
}

/** Keys of a Redis server's Secret. */
export const SECRET_KEY = {
  url: 'url',
  password: 'password',
  ca: 'ca.crt',
  cert: 'tls.crt',
  key: 'tls.key',
  sentinelUsername: 'sentinel-username',
  sentinelPassword: 'sentinel-password',
  sentinelCa: 'sentinel-ca.crt',
} as const;

export function loginOf(url: string, secret: Secret | null): RedisLogin {
  const text = (key: string): string | null => textIn(secret, key);
  return {
    url,
    password: lineIn(text(SECRET_KEY.password)),
    sentinelUsername: lineIn(text(SECRET_KEY.sentinelUsername)),
    sentinelPassword: lineIn(text(SECRET_KEY.sentinelPassword)),
    ca: text(SECRET_KEY.ca),
    sentinelCa: text(SECRET_KEY.sentinelCa),
    cert: text(SECRET_KEY.cert),
    key: text(SECRET_KEY.key),
  };
}

/** Null where there is no such key. */
export function textIn(secret: Secret | null, key: string): string | null {
  const text = secret?.data?.[key];
  return text === undefined ? null : Buffer.from(text, 'base64').toString('utf8');
}

/** Without a line end, as the processes of a run read the same key from a file. */
function lineIn(text: string | null): string | null {
  return text === null ? null : text.replace(/\r?\n$/, '');
}
