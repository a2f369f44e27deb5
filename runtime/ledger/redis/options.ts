import { readFile } from 'node:fs/promises';
import type { RedisOptions } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { redisTarget } from '../../model/redis-url.ts';
import { REDIS_PASSWORD_VARIABLE, type RedisStore, SENTINEL_PASSWORD_VARIABLE } from '../../model/store.ts';
import type { SentinelGroup, ServerOptions } from './primary.ts';
import { type NamedFile, requireUsable, type TlsFiles } from './tls-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What opens a server to a client: what the files of the settings hold, or the keys of a Secret. Null: not given. */
export interface Credentials {
  readonly password: string | null;
  readonly sentinelUsername: string | null;
  readonly sentinelPassword: string | null;
  /** Used where the URL asks for TLS. */
  readonly tls: TlsFiles;
  /** Of the Sentinels' authority; null: that of the servers. */
  readonly sentinelCa: NamedFile | null;
}

/** What the client needs to reach a server: the files of the settings are read here, and the passwords are known to nobody else. */
export async function redisOptions(store: RedisStore, env: Environment): Promise<ServerOptions> {
  const { group, isTls } = redisTarget(store.url);
  const isGroup = group !== null;
  return serverOptions(store.url, {
    password: await password(store.passwordFile, PASSWORD_FILE, env[REDIS_PASSWORD_VARIABLE]),
    sentinelUsername: store.sentinelUsername,
    sentinelPassword: isGroup ? await password(store.sentinelPasswordFile, SENTINEL_PASSWORD_FILE, env[SENTINEL_PASSWORD_VARIABLE]) : null,
    tls: isTls ? await tlsFiles(store) : NO_FILES,
    sentinelCa: isTls ? await fileOf(store.sentinelCaCert, '--redis-sentinel-ca-cert, or its setting in the block store') : null,
  });
}

/** For who has the credentials at hand. Refuses certificates that no connection can be made with. */
export function serverOptions(url: string, credentials: Credentials): ServerOptions {
  const { servers, group, db, username, isTls } = redisTarget(url);
  const tls = isTls ? { tls: tlsOptions(credentials.tls) } : {};
  const options = { db, ...given('username', username), ...given('password', credentials.password), ...tls };
  if (group === null) return { ...options, seeds: servers };
  const sentinel: SentinelGroup = { sentinels: servers, name: group, options: sentinelOptions(credentials, isTls) };
  return { ...options, sentinel };
}

/** The user and the password of the servers are never sent to Sentinels. */
function sentinelOptions({ sentinelUsername, sentinelPassword, tls, sentinelCa }: Credentials, isTls: boolean): RedisOptions {
  return {
    ...given('username', sentinelUsername),
    ...given('password', sentinelPassword),
    ...(isTls ? { tls: tlsOptions({ ...tls, ca: sentinelCa ?? tls.ca }) } : {}),
  };
}

function given<Name extends string>(name: Name, value: string | null): { readonly [N in Name]?: string } {
  return (value === null || value === '' ? {} : { [name]: value }) as { readonly [N in Name]?: string };
}

const PASSWORD_FILE = '--redis-password-file, or its setting in the block store';
const SENTINEL_PASSWORD_FILE = '--redis-sentinel-password-file, or its setting in the block store';

async function password(file: string | null, name: string, said: string | undefined): Promise<string | null> {
  return file === null ? (said ?? null) : passwordIn(file, name);
}

/** Editors and `echo` end a file with a line end, which is no part of a password. */
async function passwordIn(file: string, name: string): Promise<string> {
  return (await read(file, name)).replace(/\r?\n$/, '');
}

const NO_FILES: TlsFiles = { ca: null, cert: null, key: null };

async function tlsFiles(store: RedisStore): Promise<TlsFiles> {
  return {
    ca: await fileOf(store.caCert, '--redis-ca-cert, or its setting in the block store'),
    cert: await fileOf(store.cert, '--redis-cert, or its setting in the block store'),
    key: await fileOf(store.key, '--redis-key, or its setting in the block store'),
  };
}

function tlsOptions(files: TlsFiles): NonNullable<RedisOptions['tls']> {
  requireUsable(files);
  const text = (file: NamedFile | null): string | null => file?.text ?? null;
  return { ...given('ca', text(files.ca)), ...given('cert', text(files.cert)), ...given('key', text(files.key)) };
}

async function fileOf(path: string | null, name: string): Promise<NamedFile | null> {
  return path === null ? null : { name, path, text: await read(path, name) };
}

async function read(file: string, name: string): Promise<string> {
  return readFile(file, 'utf8').catch((cause: Error) => {
    throw new RolloutError('CONFIG_INVALID', `${name}: cannot read ${file} (${cause.message}): check the path and its permissions`, {
      cause,
    });
  });
}
