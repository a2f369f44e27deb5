import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { RolloutError } from '../../base/errors.ts';
import type { ExitCode } from '../../base/exit.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import { type CliDeps, say } from '../deps.ts';
import { serveUntilTold } from '../serve-until-told.ts';
import { inScratch } from '../verbs/scratch.ts';
import { finishedPages } from './finished-pages.ts';
import type { Pages } from './pages.ts';
import { partialPages } from './partial-pages.ts';
import { settingsRun } from './settings-run.ts';

export interface ResultsServerArguments {
  /** The state directory of a finished run. */
  readonly state?: string;
  /** Or the settings of the coordinator of one that need not be finished. */
  readonly config?: string;
  readonly host: string;
  readonly port: number;
  /** Name of the variable with the word that every path begins with. */
  readonly tokenEnv: string;
  /** Name of the variable with the highest epoch of the run that whoever asks has heard of, if there is one. */
  readonly epochEnv: string;
}

/** Shorter ones could be guessed. */
const LEAST_TOKEN = 32;

/**
 * `rollout results-server`: what a reader's pod does. Shows the pages of a run to whoever knows the token, as `/TOKEN/output`. The header of a
 * file has its length and its SHA-256, so that a reader knows that it has all of it.
 */
export async function resultsServer(deps: CliDeps, args: ResultsServerArguments): Promise<ExitCode> {
  const { state, config, tokenEnv, epochEnv } = args;
  const token = deps.env[tokenEnv] ?? '';
  if (token.length < LEAST_TOKEN) throw new RolloutError('USAGE', `results-server: ${tokenEnv} needs at least ${LEAST_TOKEN} characters`);
  if (config !== undefined) {
    const run = await settingsRun(config, epochIn(deps.env[epochEnv] ?? ''));
    return inScratch(run.paths, async (dir) => serve(deps, args, token, partialPages(deps.env, run, dir)));
  }
  if (state === undefined) throw new RolloutError('USAGE', 'results-server: give --state or --config');
  return serve(deps, args, token, await finishedPages(deps, state));
}

function epochIn(text: string): number {
  if (text === '') return -1;
  if (!/^(?:-1|\d{1,15})$/.test(text)) throw new RolloutError('USAGE', `results-server: ${text} is no epoch`);
  return Number(text);
}

async function serve(deps: CliDeps, { host, port }: ResultsServerArguments, token: string, pages: Pages): Promise<ExitCode> {
  const server = createServer((request, response) => {
    send(pages, pageIn(request, token), response).catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      say(deps.err, [`results-server: ${text}`]);
      // What has begun cannot be taken back: its reader sees that it was cut.
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end(`${text}\n`);
    });
  });
  return serveUntilTold(deps, 'results-server', server, { host, port });
}

/** Empty for whoever does not know the token. */
function pageIn({ method, url = '' }: IncomingMessage, token: string): string {
  const start = `/${token}/`;
  return method === 'GET' && url.startsWith(start) ? url.slice(start.length) : '';
}

async function send({ files, answers }: Pages, page: string, response: ServerResponse): Promise<void> {
  const answer = answers.get(page);
  if (answer === undefined) return sendFile(files.get(page), response);
  const { body, exit } = await answer();
  response.writeHead(200, { 'content-type': 'application/json', 'x-exit-code': exit }).end(body);
}

async function sendFile(path: string | undefined, response: ServerResponse): Promise<void> {
  const found = path === undefined ? null : await ifThere(path, stat(path));
  if (path === undefined || found === null) {
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
