import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { type CliDeps, say, sayJson } from './deps.ts';

export async function version(deps: CliDeps, args: { readonly json: boolean }): Promise<ExitCode> {
  const root = dirname(dirname(deps.launcherOf('worker')));
  const { version: number } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string };
  if (args.json) sayJson(deps.out, { version: number });
  else say(deps.out, [`rollout ${number}`]);
  return EXIT.done;
}
