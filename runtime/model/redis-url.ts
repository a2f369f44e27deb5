import { RolloutError } from '../base/errors.ts';

/** One server as a client dials it. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** What a URL names: servers that have the run, or Sentinels, which know where the primary of a group is. */
export interface RedisTarget {
  /** Several: nodes of one Cluster. */
  readonly servers: readonly ServerAddress[];
  /** Null: the servers are no Sentinels. */
  readonly group: string | null;
  readonly db: number;
  readonly username: string | null;
  readonly isTls: boolean;
}

const SERVER_PORT = 6379;
const SENTINEL_PORT = 26379;
const MOST_PORT = 65_535;

const PLAIN_FORM =
  'must be like redis://host:6379, rediss://user@host:6380/0 for TLS with a user and the number of a database, redis://h1:6379,h2:6379,h3:6379 for a Cluster, or redis+sentinel://h1:26379,h2:26379,h3:26379/<group> for Sentinels';
const WHOLE = /^(rediss?)(\+sentinel)?:\/\/(?:(.*)@)?([^@/?#]*)(\/[^@?#]*)?$/i;
/** A name, an IPv4 address, or an IPv6 one in brackets. */
const SERVER_FORM = /^([\w.-]+|\[[\da-f:.]+\])(?::(\d+))?$/i;
const DATABASE_FORM = /^\d{0,6}$/;
/** As Sentinel has it. */
const GROUP_FORM = /^[\w.-]+$/;

interface Parts {
  readonly isTls: boolean;
  readonly isSentinel: boolean;
  /** As it is written; null for none. */
  readonly user: string | null;
  readonly servers: readonly string[];
  /** What follows the hosts: a group of Sentinels, a database. */
  readonly path: readonly string[];
}

function partsOf(text: string): Parts | null {
  const [whole, scheme = '', sentinel, user, hosts = '', path = ''] = WHOLE.exec(text) ?? [];
  if (whole === undefined) return null;
  return {
    isTls: scheme.toLowerCase() === 'rediss',
    isSentinel: sentinel !== undefined,
    user: user === undefined || user === '' ? null : user,
    servers: hosts.split(','),
    path: path.split('/').slice(1),
  };
}

/** Shows nothing of the URL: it may hold a password. Null where nothing is wrong. */
export function redisUrlProblem(text: string): string | null {
  const parts = partsOf(text);
  if (parts === null) return PLAIN_FORM;
  return userProblem(parts.user) ?? serversProblem(parts.servers) ?? pathProblem(parts);
}

function userProblem(user: string | null): string | null {
  if (user === null) return null;
  // Each host with a user and a password of its own would be here, too.
  if (user.includes(':'))
    return 'must not hold the password, which others would see: put it into a file (--redis-password-file, or its setting) or into ROLLOUT_REDIS_PASSWORD';
  const isWritten = !/[@,/?#\s]/.test(user) && decoded(user) !== null;
  return isWritten
    ? null
    : 'must have a user in which each % is written as %25, and @ , / ? # likewise; it stands once, before the first host';
}

function serversProblem(servers: readonly string[]): string | null {
  for (const server of servers) {
    const [whole, , port] = SERVER_FORM.exec(server) ?? [];
    if (whole === undefined) return `must have a host by its name or address, or several with a comma between them: it ${PLAIN_FORM}`;
    if (port !== undefined && (Number(port) === 0 || Number(port) > MOST_PORT))
      return `must have a port from 1 to ${MOST_PORT} at each host`;
  }
  return new Set(servers).size === servers.length ? null : 'must have each host once';
}

function pathProblem({ isSentinel, path }: Parts): string | null {
  const [group = '', db = '', ...rest] = isSentinel ? path : [undefined, ...path];
  if (isSentinel && !GROUP_FORM.test(group))
    return 'must name the group that the Sentinels watch after their hosts, like redis+sentinel://h1:26379,h2:26379,h3:26379/mymaster';
  if (DATABASE_FORM.test(db) && rest.length === 0) return null;
  return `must end with the number of a database, or nothing, after its ${isSentinel ? 'group' : 'host'}: it ${PLAIN_FORM}`;
}

/** Of a URL in which there is no problem; throws where there is one. */
export function redisTarget(text: string): RedisTarget {
  const problem = redisUrlProblem(text);
  const parts = partsOf(text);
  if (problem !== null || parts === null)
    throw new RolloutError('CONFIG_INVALID', `the URL of the Redis server (--redis, or store.redis) ${problem}`);
  const { isTls, isSentinel, user, path } = parts;
  return {
    servers: parts.servers.map((server) => serverOf(server, isSentinel ? SENTINEL_PORT : SERVER_PORT)),
    group: isSentinel ? (path[0] ?? null) : null,
    db: Number(path[isSentinel ? 1 : 0] ?? 0),
    username: user === null ? null : decoded(user),
    isTls,
  };
}

function serverOf(server: string, usualPort: number): ServerAddress {
  const [, host = '', port] = SERVER_FORM.exec(server) ?? [];
  return { host: host.replaceAll(/^\[|\]$/g, ''), port: port === undefined ? usualPort : Number(port) };
}

export function addressText({ host, port }: ServerAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Null where it is not encoded as a part of a URL is. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
