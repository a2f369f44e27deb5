import { mustGet } from '../../base/assert.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Finding } from '../../ledger/redis/findings.ts';
import type { ServerReport } from '../../ledger/redis/server-check.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { namedServer, type RedisArguments } from '../redis-arguments.ts';
import { answering } from '../status/stored-ledger.ts';

export interface DoctorArguments extends RedisArguments {
  readonly json: boolean;
}

/** `rollout doctor`: whether a run may be kept on a Redis server, and what may be lost on it, each with its remedy. */
export async function doctor(deps: CliDeps, args: DoctorArguments): Promise<ExitCode> {
  const store = mustGet(namedServer(args, deps.cwd), '--redis, which is required');
  const { examineServers } = await import('../../ledger/redis/server-check.ts');
  const reports = await answering(store, async () => examineServers(store, deps.env));
  const findings = reports.flatMap((one) => one.findings);
  const isFit = findings.every(({ severity }) => severity !== 'refused');
  if (args.json) sayJson(deps.out, { store: store.url, isFit, findings, servers: reports });
  else say(deps.out, [verdictOf(store.url, isFit, findings), ...reports.flatMap(reportLines)]);
  return isFit ? EXIT.done : EXIT.usage;
}

function verdictOf(url: string, isFit: boolean, findings: readonly Finding[]): string {
  if (!isFit) return `${url}: no run can be kept here`;
  return findings.length === 0 ? `${url}: fit for a run; nothing that it has answered is lost` : `${url}: fit for a run; this may be lost:`;
}

/** The URL says which server it is where that is one by itself. */
function reportLines({ server, group, replicas, findings }: ServerReport): readonly string[] {
  return [...(group === 'alone' ? [] : [serverLine(server, group, replicas)]), ...findings.flatMap(findingLines)];
}

function serverLine(server: string, group: 'sentinel' | 'cluster', replicas: number): string {
  const what = group === 'sentinel' ? 'the primary that the Sentinels name' : 'a primary of the Cluster; a run is on one of them';
  return `  server: ${server}, ${what}; replicas: ${replicas}`;
}

function findingLines({ severity, what, fix }: Finding): readonly string[] {
  return [`  ${severity}: ${what}`, `    remedy: ${fix}`];
}
