import { RolloutError } from '../../base/errors.ts';
import type { RedisStore } from '../../model/store.ts';
import { CallFailed } from '../call-failed.ts';
import { Connection } from './connection.ts';
import { type Finding, findingsOf, findingText, keepsLedgers, type ServerAnswers } from './findings.ts';
import { spreadOf } from './group-check.ts';
import { groupFindings, replicasOf, type ServerGroup } from './group-findings.ts';
import { keysOf } from './keys.ts';
import { redisOptions } from './options.ts';
import type { ServerOptions } from './primary.ts';
import { defineScripts } from './scripts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What is to be known of one server before a run relies on it. */
export interface ServerReport {
  readonly server: string;
  readonly group: ServerGroup['kind'];
  readonly replicas: number;
  readonly findings: readonly Finding[];
}

/** Of the server that has the run, or would have it. Rejects with CallFailed where it does not answer. */
export async function checkServer(store: RedisStore, env: Environment, runId: string): Promise<readonly Finding[]> {
  const { server, answers } = await examined(await redisOptions(store, env), runId);
  return reportOf(server, answers, { kind: 'alone' }).findings;
}

/** Of the server that has this run; where none is named, of each server on which one may come to be. */
export async function examineServers(store: RedisStore, env: Environment, runId: string | null): Promise<readonly ServerReport[]> {
  const options = await redisOptions(store, env);
  const { group, runIds } = await spreadOf(options, (await examined(options, runId ?? ANY_RUN)).answers.info);
  const all = await Promise.all((runId === null ? runIds : [runId]).map((one) => examined(options, one)));
  return all.map(({ server, answers }) => reportOf(server, answers, group));
}

/** What is asked of a server is the same for the keys of any run. */
const ANY_RUN = 'any';

function reportOf(server: string, answers: ServerAnswers, group: ServerGroup): ServerReport {
  const findings = [...findingsOf(answers), ...groupFindings({ group, ...answers })];
  return { server, group: group.kind, replicas: replicasOf(answers.info), findings };
}

async function examined(options: ServerOptions, runId: string): Promise<{ readonly server: string; readonly answers: ServerAnswers }> {
  const connection = new Connection(options, () => undefined, runId);
  await connection.open();
  try {
    return { server: connection.server, answers: await answersOf(connection, runId) };
  } finally {
    connection.disconnect();
  }
}

/** The findings that a run may live with; rejects where there is one that it may not. */
export async function requireFit(store: RedisStore, env: Environment, runId: string): Promise<readonly Finding[]> {
  const { refused, bearable } = await judged(store, env, runId);
  if (refused.length > 0) throw unfit(store, refused);
  return bearable;
}

/** For a run that has begun, which waits for what may pass: rejects with CallFailed where there is nothing else. */
export async function requireStillFit(store: RedisStore, env: Environment, runId: string): Promise<readonly Finding[]> {
  const { refused, bearable } = await judged(store, env, runId);
  if (refused.length === 0) return bearable;
  throw refused.every(({ mayPass }) => mayPass) ? new CallFailed('not-executed', textOf(refused)) : unfit(store, refused);
}

async function judged(
  store: RedisStore,
  env: Environment,
  runId: string,
): Promise<{ readonly refused: readonly Finding[]; readonly bearable: readonly Finding[] }> {
  const findings = await checkServer(store, env, runId);
  const refused = findings.filter(({ severity }) => severity === 'refused');
  return { refused, bearable: findings.filter((one) => !refused.includes(one)) };
}

function unfit({ url }: RedisStore, refused: readonly Finding[]): RolloutError {
  return new RolloutError('STORE_UNFIT', `a run cannot be kept on ${url}: ${textOf(refused)}`);
}

function textOf(refused: readonly Finding[]): string {
  return refused.map(findingText).join('; ');
}

async function answersOf(connection: Connection, runId: string): Promise<ServerAnswers> {
  const said = await refusable(connection, connection.info());
  const info = said.kind === 'answered' ? (said.answer as string) : '';
  if (!keepsLedgers(info)) return { info, config: null, ...NOTHING_DENIED };
  return { info, config: await configOf(connection), ...(await deniedOf(connection, runId)) };
}

async function configOf(connection: Connection): Promise<ServerAnswers['config']> {
  const said = await refusable(connection, connection.call('CONFIG', 'GET', '*append*', 'maxmemory-policy', 'min-replicas-to-write'));
  if (said.kind === 'refused') return null;
  const pairs = said.answer as readonly string[];
  return Object.fromEntries(pairs.flatMap((name, n) => (n % 2 === 0 ? [[name, pairs[n + 1] ?? '']] : [])));
}

type Denied = Pick<ServerAnswers, 'denied' | 'unknown' | 'areKeysDenied'>;

const NOTHING_DENIED: Denied = { denied: [], unknown: [], areKeysDenied: false };

async function deniedOf(connection: Connection, runId: string): Promise<Denied> {
  const said = await refusable(connection, defineScripts(connection, keysOf(runId)).run('permissions', []));
  if (said.kind === 'answered') {
    const [denied, unknown] = said.answer as readonly [readonly string[], readonly string[]];
    return { denied, unknown, areKeysDenied: false };
  }
  const areKeysDenied = /\bkeys?\b/.test(said.why);
  return { denied: areKeysDenied ? [] : ['EVAL', 'EVALSHA'], unknown: [], areKeysDenied };
}

type Said = { readonly kind: 'answered'; readonly answer: unknown } | { readonly kind: 'refused'; readonly why: string };

/** This user, or this kind of server, may not be asked that. */
async function refusable(connection: Connection, call: Promise<unknown>): Promise<Said> {
  try {
    return { kind: 'answered', answer: await call };
  } catch (error) {
    if (error instanceof Error && /^(?:NOPERM|ERR unknown)/.test(error.message)) return { kind: 'refused', why: error.message };
    throw connection.failure(error);
  }
}
