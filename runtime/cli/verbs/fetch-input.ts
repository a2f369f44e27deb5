import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
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
  if (await isThere(to)) {
    say(deps.err, [`fetch-input: ${to} is there`]);
    return EXIT.done;
  }
  const source = file ?? url;
  if (source === undefined) throw new RolloutError('USAGE', 'fetch-input: give --file or --url');
  const bytes = file === undefined ? await download(source) : createReadStream(source);
  const partial = `${to}.partial`;
  const found = await copy(bytes, partial, source);
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

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null)) !== null;
}

async function download(url: string): Promise<Readable> {
  const response = await fetch(url).catch((cause: unknown) => {
    throw new RolloutError('BACKEND_UNREACHABLE', `cannot fetch ${url}: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  });
  if (response.ok && response.body !== null) return Readable.from(response.body);
  const code = response.status >= 500 ? 'BACKEND_UNREACHABLE' : 'INPUT_INVALID';
  throw new RolloutError(code, `${url} answers ${response.status}: correct spec.input.uri.url`);
}

async function copy(from: Readable, to: string, source: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(to, 'w');
  try {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
    throw new RolloutError('INPUT_UNREADABLE', `there is no ${source}: correct spec.input`, { cause });
  } finally {
    await handle.close();
  }
  return { bytes, sha256: hash.digest('hex') };
}
