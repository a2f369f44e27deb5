import { resolve } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Finding } from '../../ledger/redis/findings.ts';
import type { ServerReport } from '../../ledger/redis/server-check.ts';
import type { RedisStore } from '../../model/store.ts';
import { readRunFile } from '../../run-dir/run-file.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { namedServer, type RedisArguments } from '../redis-arguments.ts';
import { answering } from '../status/stored-ledger.ts';

export interface DoctorArguments extends RedisArguments {
  /** Of a run that is asked about. */
  readonly state?: string;
  readonly json: boolean;
}

/** `rollout doctor`: whether a run may be kept on a Redis server, and what may be lost on it, each with its remedy. */
export async function doctor(deps: CliDeps, args: DoctorArguments): Promise<ExitCode> {
  const { store, runId } = await examined(deps, args);
  const { examineServers } = await import('../../ledger/redis/server-check.ts');
  const reports = await answering(store, async () => examineServers(store, deps.env, runId));
  const findings = reports.flatMap((one) => one.findings);
  const isFit = findings.every(({ severity }) => severity !== 'refused');
  if (args.json) sayJson(deps.out, { store: store.url, runId, isFit, findings, servers: reports });
  else say(deps.out, [verdictOf(store.url, isFit, findings), ...reports.flatMap((one) => reportLines(one, runId))]);
  return isFit ? EXIT.done : EXIT.usage;
}

/** A server that is named, or the one of a run; with both, whether that one is fit for this run. */
async function examined(deps: CliDeps, args: DoctorArguments): Promise<{ readonly store: RedisStore; readonly runId: string | null }> {
  const named = namedServer(args, deps.cwd);
  const run = args.state === undefined ? null : await readRunFile(resolve(deps.cwd, args.state));
  if (args.state !== undefined && run === null)
    throw new RolloutError('USAGE', `no run was begun in ${args.state}: name its state directory`);
  const store = named ?? run?.store;
  if (store?.kind === 'redis') return { store, runId: run?.runId ?? null };
  throw new RolloutError(
    'USAGE',
    run === null
      ? 'name a Redis server with --redis, or a run that has its ledger on one with --state'
      : `the run in ${args.state} has its ledger in the state directory, so there is no server to examine`,
  );
}

function verdictOf(url: string, isFit: boolean, findings: readonly Finding[]): string {
  if (!isFit) return `${url}: no run can be kept here`;
  return findings.length === 0 ? `${url}: fit for a run; nothing that it has answered is lost` : `${url}: fit for a run; this may be lost:`;
}

/** The URL says which server it is where that is one by itself. */
function reportLines(report: ServerReport, runId: string | null): readonly string[] {
  const { group, findings } = report;
  return [...(group === 'alone' && runId === null ? [] : [serverLine(report, runId)]), ...findings.flatMap(findingLines)];
}

const ROLES: Readonly<Record<ServerReport['group'], string>> = {
  alone: 'by itself',
  sentinel: 'the primary that the Sentinels name',
  cluster: 'a primary of the Cluster',
};

function serverLine({ server, group, replicas }: ServerReport, runId: string | null): string {
  const has = runId === null ? 'may have a run' : `has run ${runId}`;
  return `  server: ${server}, ${ROLES[group]}, ${has}; replicas: ${replicas}`;
}

function findingLines({ severity, what, fix }: Finding): readonly string[] {
  return [`  ${severity}: ${what}`, `    remedy: ${fix}`];
}
