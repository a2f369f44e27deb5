import { RolloutError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { isNoSpace } from '../fs/disk-space.ts';
import { printable } from '../printable.ts';

/** A process that is started by its own launcher, and what it says of its arguments. */
export interface Standalone {
  readonly name: string;
  readonly usage: string;
}

/** Runs a process's main. Errors for people are told with their exit code, mistaken arguments with the usage; a bug rises. */
export async function runStandalone({ name, usage }: Standalone, run: () => Promise<ExitCode>): Promise<ExitCode> {
  surviveFullDisk();
  try {
    return await run();
  } catch (error) {
    if (error instanceof RolloutError) return tell(`${name}: ${error.message}`, error.exit);
    // Also where nobody expected a write to fail: it is no bug, and what is recorded is kept.
    if (isNoSpace(error)) return tell(`${name}: ${(error as Error).message}; free some space and start again`, EXIT.notReachable);
    if (isMistakenArgument(error)) return tell(`${name}: ${error.message}\n\n${usage}`, EXIT.usage);
    throw error;
  }
}

/** Its stderr may be a file on a full disk: what cannot be said there must not change how the process ends. */
function surviveFullDisk(): void {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => undefined);
}

/** Says on stderr why the process ends, and how. */
export function tell(text: string, exit: ExitCode): ExitCode {
  process.stderr.write(`${printable(text)}\n`);
  return exit;
}

/** What `parseArgs` of node:util throws. */
function isMistakenArgument(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
