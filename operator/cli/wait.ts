import type { ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { awaitRun } from './await-run.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import type { WaitArguments } from './verb-arguments.ts';

/** `kubectl rollout-run wait`: ends when a run is where it is wanted, with an exit code that says how. */
export async function wait(deps: K8sDeps, name: string, args: WaitArguments): Promise<ExitCode> {
  await requireRun(deps, name);
  const { exit, text } = await awaitRun(deps, name, args.for, args.timeout);
  if (args.json) sayJson(deps.out, { name, for: args.for, exit, text });
  else say(deps.out, [text]);
  return exit;
}
