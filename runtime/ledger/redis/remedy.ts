/** How a connection was asked for, and how far it came. */
export interface Reach {
  readonly isTls: boolean;
  /** The server has answered on this connection or an earlier one. */
  readonly hasAnswered: boolean;
}

export const SENTINEL_PASSWORD =
  'give the right password of the Sentinels (--redis-sentinel-password-file, store.sentinelPasswordFile, or ROLLOUT_REDIS_SENTINEL_PASSWORD), and their user, where it is not the default one (--redis-sentinel-user, store.sentinelUsername)';
const PASSWORD = 'give the right password of its user (--redis-password-file, store.passwordFile, or ROLLOUT_REDIS_PASSWORD)';

/** The beginning of what was said, and what a person can do about it. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^OOM\b/, 'the server is full: raise its maxmemory, or delete what is not needed from it'],
  [
    /^READONLY\b/,
    'the server is a replica, which takes no writes: the primary is looked for again; a URL that names this server alone has to name the primary',
  ],
  [/^LOADING\b/, 'the server reads its data after a start, and answers when it has done so'],
  [/^MISCONF\b/, 'the server cannot write its files: free space on its disk, and look at its log'],
  [/^BUSY\b/, 'a script on the server does not end: SCRIPT KILL there ends it'],
  [/^NOREPLICAS\b/, 'the server waits for its replicas (min-replicas-to-write): start them'],
  [/^MOVED\b/, 'another node of the Cluster has this run now, and is looked for'],
  [
    /^(?:ASK|TRYAGAIN)\b/,
    'the slot of this run is on its way to another node of the Cluster: the run goes on when it is there; a move that was broken off is ended by redis-cli --cluster fix',
  ],
  [
    /^CLUSTERDOWN\b/,
    'the Cluster waits for a primary: the run goes on when its replica has taken over; where none does, look at CLUSTER NODES, and start the node, or give its slots to another one (redis-cli --cluster fix)',
  ],
  [/^MASTERDOWN\b/, 'the server is a replica and waits for its primary: look at its log'],
  [/^(?:NOAUTH|WRONGPASS|ERR AUTH)\b.*\(Sentinel /, SENTINEL_PASSWORD],
  [/^(?:WRONGPASS|NOAUTH|ERR AUTH|ERR Protocol error: unauthenticated)\b/, PASSWORD],
  [/^Socket timeout/, 'see whether the server is stopped, overloaded or cut off'],
  [/ECONNREFUSED/, 'start the server, or check the address'],
  [/ENOTFOUND|EAI_AGAIN/, 'check the name of the host'],
  [/certificate required/i, 'the server wants a certificate of its clients: name one with --redis-cert and --redis-key'],
  [/certificate has expired/i, "renew the server's certificate, and check the clocks of both machines"],
  [/alert certificate expired/i, 'renew the certificate of this client (--redis-cert)'],
  [
    /certificate|Hostname\/IP/i,
    "name the authority that has signed the server's certificate with --redis-ca-cert, and check its names and dates",
  ],
  [/^TLS: (?:wrong version number|packet length too long)/, 'the server does not speak TLS on this port: use redis://'],
];

/** What to do about an error of the client or the server; null where nothing is known. */
export function remedyOf(said: string, { isTls, hasAnswered }: Reach): string | null {
  const known = REMEDIES.find(([beginning]) => beginning.test(said));
  if (known !== undefined) return known[1];
  if (hasAnswered) return /ECONNRESET|EPIPE|closed/.test(said) ? 'see that the server runs, and look at its log' : null;
  if (isTls && /ETIMEDOUT/.test(said))
    return 'check the address and the firewall; a server that does not speak TLS (redis://) keeps silent so, too';
  if (!isTls && /ECONNRESET|EPIPE|closed/.test(said))
    return 'a server that speaks TLS on this port ends a connection without it: use rediss:// for it';
  return null;
}
