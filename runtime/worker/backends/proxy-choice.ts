/**
 * Which proxy a request goes through, by the environment, as curl reads it. Pure.
 *
 * `http_proxy` counts in lower case only: a web server hands over a client's header `Proxy` as HTTP_PROXY. The others count in both
 * cases. `no_proxy` lists hosts that are asked directly: names with all below them, addresses, networks (10.0.0.0/8), each with a port
 * where only that port is meant, or `*` for all.
 */
export interface ProxyChoice {
  readonly url: URL;
  /** The variable that names it, for messages. */
  readonly variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export function proxyFor(target: URL, env: Environment): ProxyChoice | null {
  const names = target.protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy'];
  const variable = [...names, 'all_proxy', 'ALL_PROXY'].find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isExcepted(target, env['no_proxy'] || env['NO_PROXY'] || '')) return null;
  return { url: proxyUrl(env[variable] ?? ''), variable };
}

/** The address alone: the name and the password are nobody's business. */
export function shownProxy({ url }: ProxyChoice): string {
  return `${url.protocol}//${url.host}`;
}

/** The value of Proxy-Authorization; null without a name. */
export function proxyAuthorization({ url }: ProxyChoice): string | null {
  if (url.username === '' && url.password === '') return null;
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

/** curl's own default, which most proxies do not listen on; an address with its scheme and port says what is meant. */
const DEFAULT_PORT = '1080';

const UNREADABLE = new URL('unreadable:');

/** SOCKS is not spoken here. */
export function isUsable({ url }: ProxyChoice): boolean {
  return ['http:', 'https:'].includes(url.protocol);
}

function proxyUrl(text: string): URL {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(full)) return UNREADABLE;
  const url = new URL(full);
  const isPortSaid = /^[^/]*\/\/(?:[^/@]*@)?(?:\[[^\]]*\]|[^/:]*):\d/.test(full);
  if (url.protocol === 'http:' && !isPortSaid) url.port = DEFAULT_PORT;
  return url;
}

function isExcepted(target: URL, noProxy: string): boolean {
  const host = bareHost(target.hostname);
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return noProxy
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  const [, name = entry, wantedPort] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (wantedPort !== undefined && wantedPort !== port) return false;
  const [network = '', bits] = bareHost(name).split('/');
  if (bits !== undefined) return isInNetwork(host, network, Number(bits));
  const wanted = network.replace(/^\*?\./, '');
  return host === wanted || (!isAddress(host) && host.endsWith(`.${wanted}`)) || isInNetwork(host, network, Number.POSITIVE_INFINITY);
}

/** Without the brackets of an IPv6 address and without the dot that ends a full name. */
function bareHost(host: string): string {
  return host.toLowerCase().replace(/[[\]]/g, '').replace(/\.$/, '');
}

function isAddress(host: string): boolean {
  return bitsOf(host) !== null;
}

function isInNetwork(host: string, network: string, bits: number): boolean {
  const [address, base] = [bitsOf(host), bitsOf(network)];
  if (address === null || base === null || address.length !== base.length || !(bits >= 0)) return false;
  return address.slice(0, bits) === base.slice(0, bits);
}

/** An address as a text of its bits, 32 or 128 of them; null where it is none. */
function bitsOf(host: string): string | null {
  if (/^\d{1,3}(?:\.\d{1,3}){3}$/.test(host))
    return host
      .split('.')
      .map((part) => binary(Number(part), 8))
      .join('');
  if (!host.includes(':') || !URL.canParse(`http://[${host}]`)) return null;
  const [head = '', tail] = bareHost(new URL(`http://[${host}]`).hostname).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = tail === undefined ? 0 : 8 - (before?.length ?? 0) - (after?.length ?? 0);
  const groups = [...(before ?? []), ...Array<string>(zeros).fill('0'), ...(after ?? [])];
  return groups.map((group) => binary(Number.parseInt(group, 16), 16)).join('');
}

function binary(value: number, bits: number): string {
  return value.toString(2).padStart(bits, '0');
}
