import { closeSync, constants, openSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { RolloutError } from '../errors.ts';
import { systemRandom } from '../random.ts';

/**
 * A Unix socket in a directory that says whether the process that made it lives.
 *
 * The kernel closes the socket when its process dies, in any pid namespace (container), and keeps it open while the process is stopped.
 * A connection that is accepted or queued proves that the process is alive; one that is refused proves that it is dead. A pid cannot
 * prove either, since each container has its own pids. Node has no flock(2), and a socket needs neither a native module nor another
 * program. It works between the containers of one machine that share the directory on a local disk.
 */
export interface LifeSocket {
  /** Its file's name in the directory. */
  readonly name: string;
  close(): Promise<void>;
}

const NAME_BYTES = 8;

/** It does not keep the process alive. Every user may connect, since every user has to find out whether the holder is alive. */
export async function listenIn(dir: string): Promise<LifeSocket> {
  const name = `${systemRandom.hex(NAME_BYTES)}.sock`;
  const directory = openSync(dir, constants.O_RDONLY);
  const server = createServer((caller) => caller.destroy());
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: socketPath(dir, directory, name), readableAll: true, writableAll: true }, resolve);
    });
  } catch (cause) {
    closeSync(directory);
    throw new RolloutError('STATE_UNREADABLE', `cannot make a socket in ${dir}, by which one process keeps others out: ${String(cause)}`, {
      cause,
    });
  }
  // A caller that could not be accepted does not matter to the holder.
  server.on('error', () => undefined);
  server.unref();
  return { name, close: () => closeSocket(server, directory) };
}

/** Closing removes the socket's file, by a path that needs the directory open. */
async function closeSocket(server: Server, directory: number): Promise<void> {
  await new Promise<void>((resolve) => server.close(() => resolve()));
  closeSync(directory);
}

/** What connect(2) answers if the socket's process is dead or the socket is gone. */
const DEAD: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOENT']);

/** Any other error, such as a full queue or another user's socket, may come from a socket that has a listener. */
export async function isListening(dir: string, name: string): Promise<boolean> {
  const directory = openSync(dir, constants.O_RDONLY);
  try {
    return await new Promise<boolean>((resolve) => {
      const caller = connect(socketPath(dir, directory, name));
      caller.once('error', (error: NodeJS.ErrnoException) => resolve(!DEAD.has(error.code)));
      caller.once('connect', () => {
        caller.destroy();
        resolve(true);
      });
    });
  } finally {
    closeSync(directory);
  }
}

/** The path of a socket is limited to 107 bytes (103 on macOS) and silently truncated; the path of a directory is often longer. */
const LONGEST_PATH_BYTES = 103;

function socketPath(dir: string, directory: number, name: string): string {
  const path = process.platform === 'linux' ? `/proc/self/fd/${directory}/${name}` : join(dir, name);
  if (Buffer.byteLength(path) <= LONGEST_PATH_BYTES) return path;
  throw new RolloutError('STATE_UNREADABLE', `the path ${dir} is too long for a socket in it: use a shorter one`);
}
