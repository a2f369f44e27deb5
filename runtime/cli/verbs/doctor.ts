import { mustGet } from '../../base/assert.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { Finding } from '../../ledger/redis/findings.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';
import { namedServer, type RedisArguments } from '../redis-arguments.ts';
import { answering } from '../status/stored-ledger.ts';

export interface DoctorArguments extends RedisArguments {
  readonly json: boolean;
}

/** What is asked of a server is the same for the keys of any run. */
const ANY_RUN = 'doctor';

/** `rollout doctor`: whether a run may be kept on a Redis server, and what may be lost on it, each with its remedy. */
export async function doctor(deps: CliDeps, args: DoctorArguments): Promise<ExitCode> {
  const store = mustGet(namedServer(args, deps.cwd), '--redis, which is required');
  const { checkServer } = await import('../../ledger/redis/server-check.ts');
  const findings = await answering(store, async () => checkServer(store, deps.env, ANY_RUN));
  const isFit = findings.every(({ severity }) => severity !== 'refused');
  if (args.json) sayJson(deps.out, { store: store.url, isFit, findings });
  else say(deps.out, [verdictOf(store.url, isFit, findings), ...findings.flatMap(findingLines)]);
  return isFit ? EXIT.done : EXIT.usage;
}

function verdictOf(url: string, isFit: boolean, findings: readonly Finding[]): string {
  if (!isFit) return `${url}: no run can be kept here`;
  return findings.length === 0 ? `${url}: fit for a run; nothing that it has answered is lost` : `${url}: fit for a run; this may be lost:`;
}

function findingLines({ severity, what, fix }: Finding): readonly string[] {
  return [`  ${severity}: ${what}`, `    remedy: ${fix}`];
}
