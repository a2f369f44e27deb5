import { readFile } from 'node:fs/promises';
import type { RedisOptions } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { REDIS_PASSWORD_VARIABLE, type RedisStore, redisAddress } from '../../model/store.ts';
import { type NamedFile, requireUsable } from './tls-files.ts';

/** What the client needs to reach a server: the files of the settings are read here, and the password is known to nobody else. */
export async function redisOptions(store: RedisStore, env: Readonly<Record<string, string | undefined>>): Promise<RedisOptions> {
  const { host, port, db, username, isTls } = redisAddress(store.url);
  const password = store.passwordFile === null ? env[REDIS_PASSWORD_VARIABLE] : await passwordIn(store.passwordFile);
  return {
    ...{ host, port, db },
    ...(username === null ? {} : { username }),
    ...(password === undefined || password === '' ? {} : { password }),
    ...(isTls ? { tls: await tlsOptions(store, host) } : {}),
  };
}

/** Editors and `echo` end a file with a line end, which is no part of a password. */
async function passwordIn(file: string): Promise<string> {
  return (await read(file, '--redis-password-file, or its setting in the block store')).replace(/\r?\n$/, '');
}

async function tlsOptions(store: RedisStore, host: string): Promise<NonNullable<RedisOptions['tls']>> {
  const ca = await fileOf(store.caCert, '--redis-ca-cert, or its setting in the block store');
  const cert = await fileOf(store.cert, '--redis-cert, or its setting in the block store');
  const key = await fileOf(store.key, '--redis-key, or its setting in the block store');
  requireUsable({ ca, cert, key });
  return {
    // A server is asked for by the name that its certificate has; an address is none (SNI).
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
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
