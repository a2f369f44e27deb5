import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { RolloutError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import { errorsPath } from '../../format/output-line.ts';
import { statePaths } from '../../run-dir/paths.ts';
import { type CliDeps, say } from '../deps.ts';
import { serveUntilTold } from '../serve-until-told.ts';
import { requireServed, requireStoredRun } from '../status/stored-run.ts';
import { verify } from '../verbs/verify.ts';

export interface ResultsServerArguments {
  readonly state: string;
  readonly host: string;
  readonly port: number;
  /** Name of the variable with the word that every path begins with. */
  readonly tokenEnv: string;
}

/** Shorter ones could be guessed. */
const LEAST_TOKEN = 32;

/**
 * `rollout results-server`: what a reader's pod does. Shows the files of a finished run to whoever knows the token:
 * `/TOKEN/output`, `/TOKEN/errors` and `/TOKEN/verify`, which is the JSON of `rollout verify`. The header of a
 * file has its length and its SHA-256, so that a reader knows that it has all of it.
 */
export async function resultsServer(deps: CliDeps, { state, host, port, tokenEnv }: ResultsServerArguments): Promise<ExitCode> {
  const token = deps.env[tokenEnv] ?? '';
  if (token.length < LEAST_TOKEN) throw new RolloutError('USAGE', `results-server: ${tokenEnv} needs at least ${LEAST_TOKEN} characters`);
  const paths = statePaths(resolve(deps.cwd, state));
  const { outputPath } = requireServed(await requireStoredRun(paths), paths);
  const files = new Map([
    [`/${token}/output`, outputPath],
    [`/${token}/errors`, errorsPath(outputPath)],
  ]);
  const server = createServer((request, response) => {
    const file = files.get(request.url ?? '');
    const answered = request.url === `/${token}/verify` ? sendProof(deps, state, response) : sendFile(file, request, response);
    answered.catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      say(deps.err, [`results-server: ${text}`]);
      // What has begun cannot be taken back: its reader sees that it was cut.
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`${text}\n`);
    });
  });
  return serveUntilTold(deps, 'results-server', server, { host, port });
}

async function sendFile(path: string | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const found = path === undefined ? null : await ifThere(path, stat(path));
  if (path === undefined || found === null || request.method !== 'GET') {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing is here\n');
    return;
  }
  const digest = await sha256Of(path);
  response.writeHead(200, { 'content-type': 'application/jsonl', 'content-length': found.size, 'x-content-sha256': digest });
  await pipeline(createReadStream(path), response);
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

async function sendProof(deps: CliDeps, state: string, response: ServerResponse): Promise<void> {
  const out = new PassThrough();
  const chunks: Buffer[] = [];
  out.on('data', (chunk: Buffer) => chunks.push(chunk));
  const exit = await verify({ ...deps, out }, { state, json: true });
  response.writeHead(200, { 'content-type': 'application/json', 'x-exit-code': exit });
  response.end(Buffer.concat(chunks));
}
