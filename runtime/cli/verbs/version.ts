import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { type CliDeps, say, sayJson } from '../deps.ts';

export async function version(deps: CliDeps, args: { readonly json: boolean }): Promise<ExitCode> {
  const number = await readVersion(deps);
  if (args.json) sayJson(deps.out, { version: number });
  else say(deps.out, [versionText(number)]);
  return EXIT.done;
}

export async function readVersion(deps: Pick<CliDeps, 'launcherOf'>): Promise<string> {
  const root = dirname(dirname(deps.launcherOf('worker')));
  return (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { readonly version: string }).version;
}

export function versionText(number: string): string {
  return `rollout ${number}`;
}
