import { createSecureContext, type SecureContext } from 'node:tls';
import { Pool } from 'undici';
import { RolloutError } from '../../base/errors.ts';
import type { EndpointUrl } from './endpoint-url.ts';
import { isUsable, type ProxyChoice, proxyAuthorization, proxyFor, shownProxy } from './proxy-choice.ts';
import { tunnelThrough } from './tunnel.ts';

/** How one server is reached: directly, or through the proxy that the environment names. Probes and items go the same way. */
export interface Connection {
  readonly pool: Pool;
  /** Put before each path: a proxy without a tunnel gets the whole address. */
  readonly pathPrefix: string;
  readonly headers: Readonly<Record<string, string>>;
  /** ` through the proxy http://proxy:3128`, for messages; empty without one. */
  readonly way: string;
  /** Values of headers that only the proxy may see. */
  readonly secrets: readonly string[];
}

export interface ConnectionSettings {
  readonly connections: number;
  /** Where it names proxies and what goes past them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Certificates of authorities, PEM; null: those that Node trusts. */
  readonly authorities: readonly string[] | null;
}

/** A server that is there accepts a connection within this. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Times are the caller's, by signal. */
const POOL = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;

export function connectTo({ origin }: EndpointUrl, settings: ConnectionSettings): Connection {
  const target = new URL(origin);
  const proxy = proxyFor(target, settings.env);
  if (proxy !== null && !isUsable(proxy)) throw unusable(proxy);
  const secureContext = settings.authorities === null ? null : createSecureContext({ ca: [...settings.authorities] });
  const { connections } = settings;
  if (proxy !== null && target.protocol === 'http:') return plainProxied(target, proxy, connections, secureContext);
  const direct = { timeout: CONNECT_TIMEOUT_MS, ...(secureContext === null ? {} : { secureContext }) };
  const connect = proxy === null ? direct : tunnelThrough(proxy, CONNECT_TIMEOUT_MS, secureContext);
  const pool = new Pool(origin, { ...POOL, connections, connect });
  return { pool, pathPrefix: '', headers: {}, way: wayOf(proxy), secrets: secretsOf(proxy) };
}

/** What is not encrypted needs no tunnel: every proxy forwards it, and many open tunnels to port 443 alone. */
function plainProxied(target: URL, proxy: ProxyChoice, connections: number, secureContext: SecureContext | null): Connection {
  const authorization = proxyAuthorization(proxy);
  const connect = { timeout: CONNECT_TIMEOUT_MS, ...(secureContext === null ? {} : { secureContext }) };
  return {
    pool: new Pool(proxy.url.origin, { ...POOL, connections, connect }),
    pathPrefix: target.origin,
    headers: { host: target.host, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) },
    way: wayOf(proxy),
    secrets: secretsOf(proxy),
  };
}

/** The value is not shown: it may hold a password. */
function unusable({ url, variable }: ProxyChoice): RolloutError {
  const kind = url.protocol.slice(0, -1);
  return new RolloutError(
    'CONFIG_INVALID',
    `the environment variable ${variable} names a proxy (${kind}) that cannot be used: give one as http://host:port or https://host:port, or except the server with no_proxy`,
  );
}

function secretsOf(proxy: ProxyChoice | null): readonly string[] {
  const authorization = proxy === null ? null : proxyAuthorization(proxy);
  return authorization === null ? [] : [authorization];
}

function wayOf(proxy: ProxyChoice | null): string {
  return proxy === null ? '' : ` through the proxy ${shownProxy(proxy)} (${proxy.variable})`;
}
