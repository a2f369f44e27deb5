import { RolloutError } from './errors.ts';
import { EXIT, type ExitCode } from './exit.ts';

/** A process that is started by its own launcher, and what it says of its arguments. */
export interface Standalone {
  readonly name: string;
  readonly usage: string;
}

/** Runs a process's main. Errors for people are told with their exit code, mistaken arguments with the usage; a bug rises. */
export async function runStandalone({ name, usage }: Standalone, run: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof RolloutError) return tell(`${name}: ${error.message}`, error.exit);
    if (isMistakenArgument(error)) return tell(`${name}: ${error.message}\n\n${usage}`, EXIT.usage);
    throw error;
  }
}

/** Says on stderr why the process ends, and how. */
export function tell(text: string, exit: ExitCode): ExitCode {
  process.stderr.write(`${text}\n`);
  return exit;
}

/** What `parseArgs` of node:util throws. */
function isMistakenArgument(error: unknown): error is Error {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_');
}
