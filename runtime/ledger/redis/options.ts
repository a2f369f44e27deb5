import { readFile } from 'node:fs/promises';
import type { RedisOptions } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { redisTarget } from '../../model/redis-url.ts';
import { REDIS_PASSWORD_VARIABLE, type RedisStore, SENTINEL_PASSWORD_VARIABLE } from '../../model/store.ts';
import type { SentinelGroup, ServerOptions } from './primary.ts';
import { type NamedFile, requireUsable } from './tls-files.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the client needs to reach a server: the files of the settings are read here, and the passwords are known to nobody else. */
export async function redisOptions(store: RedisStore, env: Environment): Promise<ServerOptions> {
  const { servers, group, db, username, isTls } = redisTarget(store.url);
  const tls = isTls ? { tls: await tlsOptions(store) } : {};
  const own = {
    db,
    ...(username === null ? {} : { username }),
    ...(await password(store.passwordFile, PASSWORD_FILE, env[REDIS_PASSWORD_VARIABLE])),
  };
  if (group === null) return { ...own, ...tls, seeds: servers };
  const ofSentinels = await password(store.sentinelPasswordFile, SENTINEL_PASSWORD_FILE, env[SENTINEL_PASSWORD_VARIABLE]);
  const sentinel: SentinelGroup = { sentinels: servers, name: group, options: { ...ofSentinels, ...tls } };
  return { ...own, ...tls, sentinel };
}

const PASSWORD_FILE = '--redis-password-file, or its setting in the block store';
const SENTINEL_PASSWORD_FILE = '--redis-sentinel-password-file, or its setting in the block store';

async function password(file: string | null, name: string, given: string | undefined): Promise<{ readonly password?: string }> {
  const found = file === null ? given : await passwordIn(file, name);
  return found === undefined || found === '' ? {} : { password: found };
}

/** Editors and `echo` end a file with a line end, which is no part of a password. */
async function passwordIn(file: string, name: string): Promise<string> {
  return (await read(file, name)).replace(/\r?\n$/, '');
}

async function tlsOptions(store: RedisStore): Promise<NonNullable<RedisOptions['tls']>> {
  const ca = await fileOf(store.caCert, '--redis-ca-cert, or its setting in the block store');
  const cert = await fileOf(store.cert, '--redis-cert, or its setting in the block store');
  const key = await fileOf(store.key, '--redis-key, or its setting in the block store');
  requireUsable({ ca, cert, key });
  return {
    ...(ca === null ? {} : { ca: ca.text }),
    ...(cert === null ? {} : { cert: cert.text }),
    ...(key === null ? {} : { key: key.text }),
  };
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
