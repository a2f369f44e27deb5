import { CommanderError } from 'commander';
import { systemClock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { endSignals } from '../base/hangup.ts';
import { silentLog } from '../base/log.ts';
import { launcher } from '../base/module-path.ts';
import { isOutOfFiles } from '../base/open-files.ts';
import { printable } from '../base/printable.ts';
import { keepFilesPrivate } from '../base/private-files.ts';
import type { CliDeps } from './deps.ts';
import { inFlagWords } from './flag-words.ts';
import { coordinatorRun, coordinatorTestFence, workerRun } from './foreground.ts';
import { buildProgram } from './program.ts';
import { isDrawable } from './terminal.ts';
import { readVersion, version, versionText } from './version.ts';

export async function main(argv: readonly string[]): Promise<ExitCode> {
  const deps = realDeps();
  let exit: ExitCode = EXIT.done;
  const program = buildProgram(
    {
      // Loaded when needed: each verb uses a part of the libraries, and help and mistakes use none.
      run: async (input, args) => (await import('./run.ts')).run(deps, input, args),
      status: async (args) => (await import('./status.ts')).status(deps, args),
      drain: async (worker, args) => (await import('./drain.ts')).drain(deps, worker, args),
      export: async (args) => (await import('./export.ts')).exportVerb(deps, args),
      verify: async (args) => (await import('./verify.ts')).verify(deps, args),
      coordinatorRun: async (args) => coordinatorRun(deps, args),
      coordinatorTestFence: async (args) => coordinatorTestFence(deps, args),
      workerRun: async (args) => workerRun(deps, args),
      version: async (args) => version(deps, args),
    },
    (code) => {
      exit = code;
    },
    versionText(await readVersion(deps)),
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    // Commander has said it already: help and version end with 0, every mistake is usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof RolloutError) {
      process.stderr.write(`rollout: ${printable(inFlagWords(error.message))}\n`);
      return error.exit;
    }
    if (!isSystemError(error) || isOutOfFiles(error)) throw error;
    process.stderr.write(
      `rollout: ${printable(error.message)}${isDiskFull(error) ? ': free some space and give the same command again; what is recorded is kept' : ''}\n`,
    );
    return EXIT.notReachable;
  }
}

/** What the operating system refuses: a full disk, missing rights. No bug, so no stack. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
}

function isDiskFull({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function realDeps(): CliDeps {
  // A closed terminal or pipe: nobody reads any more, and the run goes on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const signals = endSignals();
  return {
    cwd: process.cwd(),
    env: process.env,
    umask: keepFilesPrivate(),
    execPath: process.execPath,
    launcherOf: (name) => launcher(import.meta.url, name),
    clock: systemClock,
    log: silentLog,
    stdin: process.stdin,
    out: process.stdout,
    err: process.stderr,
    isDrawable: isDrawable(process.stderr.isTTY, process.env),
    onInterrupt: (handle) => {
      for (const name of signals) process.on(name, handle);
      return () => {
        for (const name of signals) process.off(name, handle);
      };
    },
    coordinatorMain: async (argv) => (await import('../coordinator/main.ts')).main(argv),
    workerMain: async (argv) => (await import('../worker/main.ts')).main(argv),
  };
}
