import type { ExitCode } from '../base/exit.ts';
import type { CliDeps } from './deps.ts';
import type { TestFenceArguments } from './program.ts';

/** `rollout coordinator run` and `rollout worker run`: the same processes as the launchers start, in this one. */

export async function coordinatorRun(deps: CliDeps, args: { readonly config: string; readonly resume: boolean }): Promise<ExitCode> {
  return deps.coordinatorMain(['--config', args.config, ...(args.resume ? ['--resume'] : [])]);
}

export async function coordinatorTestFence(deps: CliDeps, { state, spin, hang }: TestFenceArguments): Promise<ExitCode> {
  const where = state === undefined ? [] : ['--state', state];
  return deps.coordinatorMain(['test-fence', ...where, ...(spin ? ['--spin'] : []), ...(hang ? ['--hang'] : [])]);
}

export async function workerRun(deps: CliDeps, args: { readonly config: string }): Promise<ExitCode> {
  return deps.workerMain(['--config', args.config]);
}
