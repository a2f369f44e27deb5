import { CommanderError } from 'commander';
import { systemClock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { isNoSpace } from '../base/fs/disk-space.ts';
import { isOutOfFiles } from '../base/fs/open-files.ts';
import { keepFilesPrivate } from '../base/fs/private-files.ts';
import { silentLog } from '../base/log.ts';
import { printable } from '../base/printable.ts';
import { endSignals } from '../base/process/hangup.ts';
import { launcher } from '../base/process/module-path.ts';
import type { CliDeps } from './deps.ts';
import { buildProgram } from './program.ts';
import { coordinatorRun, coordinatorTestFence, exportFinished, workerRun } from './run/foreground.ts';
import { readVersion, version, versionText } from './verbs/version.ts';
import { isDrawable } from './view/terminal.ts';

export async function main(argv: readonly string[], deps: CliDeps = realDeps()): Promise<ExitCode> {
  let exit: ExitCode = EXIT.done;
  const program = buildProgram(
    {
      // Loaded when needed: each verb uses a part of the libraries, and help and mistakes use none.
      run: async (input, args) => (await import('./run/run.ts')).run(deps, input, args),
      status: async (args) => (await import('./verbs/status.ts')).status(deps, args),
      drain: async (worker, args) => (await import('./verbs/drain.ts')).drain(deps, worker, args),
      export: async (args) => (await import('./verbs/export.ts')).exportVerb(deps, args),
      verify: async (args) => (await import('./verbs/verify.ts')).verify(deps, args),
      doctor: async (args) => (await import('./verbs/doctor.ts')).doctor(deps, args),
      coordinatorRun: async (args) => coordinatorRun(deps, args),
      coordinatorTestFence: async (args) => coordinatorTestFence(deps, args),
      workerRun: async (args) => workerRun(deps, args),
      fetchInput: async (args) => (await import('./verbs/fetch-input.ts')).fetchInput(deps, args),
      exportFinished: async (args) => exportFinished(deps, args),
      resultsServer: async (args) => (await import('./results-server/results-server.ts')).resultsServer(deps, args),
      mockServer: async (args) => (await import('./mock-server/mock-server.ts')).mockServer(deps, args),
      version: async (args) => version(deps, args),
    },
    (code) => {
      exit = code;
    },
    versionText(await readVersion(deps)),
    { out: (text) => deps.out.write(text), err: (text) => deps.err.write(text) },
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    // Commander has said it already: help and version end with 0, every mistake is usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (error instanceof RolloutError) {
      deps.err.write(`rollout: ${printable(error.message)}\n`);
      return error.exit;
    }
    if (!isSystemError(error) || isOutOfFiles(error)) throw error;
    deps.err.write(
      `rollout: ${printable(error.message)}${isNoSpace(error) ? ': free some space and give the same command again; what is recorded is kept' : ''}\n`,
    );
    return EXIT.notReachable;
  }
}

/** What the operating system refuses: a full disk, missing rights. No bug, so no stack. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
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
