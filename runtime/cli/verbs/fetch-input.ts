import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import { isSystemError, stateUnwritable } from '../../base/fs/state-error.ts';
import { type CliDeps, say } from '../deps.ts';

export interface FetchInputArguments {
  readonly file?: string;
  readonly url?: string;
  readonly sha256?: string;
  readonly to: string;
}

/**
 * `rollout fetch-input`: what the first container of a coordinator's pod does. Copies the list to the run's own volume, once: the copy stands
 * whatever becomes of the source. A copy that is there is left as it is.
 */
export async function fetchInput(deps: CliDeps, { file, url, sha256, to }: FetchInputArguments): Promise<ExitCode> {
  if ((await ifThere(to, stat(to))) !== null) {
    say(deps.err, [`fetch-input: ${to} is there`]);
    return EXIT.done;
  }
  const source = file ?? url;
  if (source === undefined) throw new RolloutError('USAGE', 'fetch-input: give --file or --url');
  const partial = `${to}.partial`;
  const found = await copy(file === undefined ? chunksOfUrl(source) : chunksOfFile(source), partial);
  if (sha256 !== undefined && found.sha256 !== sha256.toLowerCase()) {
    await rm(partial, { force: true });
    throw new RolloutError(
      'INPUT_INVALID',
      `${source} has the SHA-256 ${found.sha256}, and ${sha256} was asked for: correct spec.input.uri.sha256, or put the right file there`,
    );
  }
  await rename(partial, to);
  say(deps.err, [`fetch-input: ${found.bytes} bytes from ${source}, SHA-256 ${found.sha256}`]);
  return EXIT.done;
}

/** Whatever else happens to a file may pass, and the step is done again. */
const NEVER_A_LIST: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'];

async function* chunksOfFile(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path) as AsyncIterable<Buffer>;
  } catch (cause) {
    if (!NEVER_A_LIST.includes((cause as NodeJS.ErrnoException).code)) throw cause;
    throw new RolloutError('INPUT_UNREADABLE', `cannot read ${path} (${(cause as Error).message}): correct spec.input`, { cause });
  }
}

/** Answers of a server that may be another one later. */
const PASSING: readonly number[] = [408, 429];

async function* chunksOfUrl(url: string): AsyncGenerator<Uint8Array> {
  try {
    const { ok, status, body } = await fetch(url);
    const isPassing = status >= 500 || PASSING.includes(status);
    if (!ok || body === null)
      throw new RolloutError(isPassing ? 'BACKEND_UNREACHABLE' : 'INPUT_INVALID', `${url} answers ${status}: correct spec.input.uri.url`);
    yield* body;
  } catch (cause) {
    if (cause instanceof RolloutError) throw cause;
    throw new RolloutError('BACKEND_UNREACHABLE', `cannot fetch ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** fetch says only that it has failed; why, its cause says. */
function reasonOf(error: unknown): string {
  const { cause } = error as Error;
  return cause instanceof Error ? cause.message : (error as Error).message;
}

async function copy(from: AsyncIterable<Uint8Array>, to: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await written(to, open(to, 'w'));
  try {
    for await (const chunk of from) {
      hash.update(chunk);
      bytes += chunk.length;
      await written(to, handle.writeFile(chunk));
    }
    await written(to, handle.sync());
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function written<T>(path: string, doing: Promise<T>): Promise<T> {
  return doing.catch((cause: unknown) => {
    throw isSystemError(cause) ? stateUnwritable(path, cause) : cause;
  });
}
