import { EXIT, type ExitCode } from '../../base/exit.ts';
import { againSwitches } from '../arguments.ts';
import type { CliDeps } from '../deps.ts';
import type { CoordinatorArguments, TestFenceArguments } from '../verb-arguments.ts';

/** `rollout coordinator run` and `rollout worker run`: the same processes as the launchers start, in this one. */

export async function coordinatorRun(deps: CliDeps, args: CoordinatorArguments): Promise<ExitCode> {
  const switches = [...(args.resume ? ['--resume'] : []), ...againSwitches({ failed: args.retryFailed, rerunDamaged: args.rerunDamaged })];
  return deps.coordinatorMain(['--config', args.config, ...switches]);
}

export async function coordinatorTestFence(deps: CliDeps, { state, redis, spin, hang }: TestFenceArguments): Promise<ExitCode> {
  const where = [...(state === undefined ? [] : ['--state', state]), ...(redis === undefined ? [] : ['--redis', redis])];
  return deps.coordinatorMain(['test-fence', ...where, ...(spin ? ['--spin'] : []), ...(hang ? ['--hang'] : [])]);
}

export async function workerRun(deps: CliDeps, args: { readonly config: string }): Promise<ExitCode> {
  return deps.workerMain(['--config', args.config]);
}

/** Starts the coordinator of a run that is finished, which only writes its output. That some items have failed is no fault here. */
export async function exportFinished(deps: CliDeps, args: { readonly config: string }): Promise<ExitCode> {
  const exit = await deps.coordinatorMain(['--config', args.config]);
  return exit === EXIT.someFailed ? EXIT.done : exit;
}
