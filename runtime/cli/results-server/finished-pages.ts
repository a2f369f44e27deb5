import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { errorsPath } from '../../format/output-line.ts';
import { statePaths } from '../../run-dir/paths.ts';
import type { CliDeps } from '../deps.ts';
import { requireServed, requireStoredRun } from '../status/stored-run.ts';
import { verify } from '../verbs/verify.ts';
import type { PageAnswer, Pages } from './pages.ts';

/** Of a finished run: `output`, `errors`, and `verify`, which is the JSON of `rollout verify`. */
export async function finishedPages(deps: CliDeps, state: string): Promise<Pages> {
  const paths = statePaths(resolve(deps.cwd, state));
  const { outputPath } = requireServed(await requireStoredRun(paths), paths);
  return {
    files: new Map([
      ['output', outputPath],
      ['errors', errorsPath(outputPath)],
    ]),
    answers: new Map([['verify', async () => proofOf(deps, state)]]),
  };
}

async function proofOf(deps: CliDeps, state: string): Promise<PageAnswer> {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exit = await verify({ ...deps, out }, { state, json: true });
  return { body: Buffer.concat(chunks).toString('utf8'), exit };
}
