import { CommanderError } from 'commander';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { printable } from '../../runtime/base/printable.ts';
import { endSignals } from '../../runtime/base/process/hangup.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { isDrawable } from '../../runtime/cli/view/terminal.ts';
import { ApiError, NoAnswer } from '../kube/api-error.ts';
import type { CliWorld, K8sDeps } from './deps.ts';
import { buildProgram } from './program.ts';
import { refusalOf } from './refusal.ts';
import { requireClientNode } from './required-node.ts';
import type { ClusterArguments } from './verb-arguments.ts';

/** `kubectl rollout-run`, which is `rollout k8s` as well. */
export async function main(argv: readonly string[], world: CliWorld = realWorld()): Promise<ExitCode> {
  let exit: ExitCode = EXIT.done;
  let server = '';
  const cluster = (): ClusterArguments => program.opts<ClusterArguments>();
  const connect = async <T>(run: (deps: K8sDeps) => Promise<T>): Promise<T> => {
    requireClientNode(world.nodeVersion);
    // Loaded here: the client of the cluster is most of a start, and older versions of Node cannot load it.
    const opened = (await import('./cluster.ts')).openCluster(world, cluster());
    server = opened.server;
    try {
      return await run(opened.deps);
    } finally {
      opened.close();
    }
  };
  const program = buildProgram(
    {
      create: async (name, args) => (await import('./create.ts')).create(world, connect, name, cluster().namespace, args),
      validate: async (args) => (await import('./validate.ts')).validate(world, connect, args),
      status: async (name, args) => connect(async (deps) => (await import('./status.ts')).status(deps, name, args)),
      list: async (args) => connect(async (deps) => (await import('./list.ts')).list(deps, args)),
      workers: async (name, args) => connect(async (deps) => (await import('./workers.ts')).workers(deps, name, args)),
      drain: async (name, worker, args) => connect(async (deps) => (await import('./drain.ts')).drain(deps, name, worker, args)),
      suspend: async (name, args) => connect(async (deps) => (await import('./suspend.ts')).suspend(deps, name, args)),
      resume: async (name, args) => connect(async (deps) => (await import('./suspend.ts')).resume(deps, name, args)),
      cancel: async (name, args) => connect(async (deps) => (await import('./cancel.ts')).cancel(deps, name, args)),
      explain: async (name, args) => connect(async (deps) => (await import('./explain.ts')).explain(deps, name, args)),
      wait: async (name, args) => connect(async (deps) => (await import('./wait.ts')).wait(deps, name, args)),
      results: async (name, args) => connect(async (deps) => (await import('./results.ts')).results(deps, name, args)),
    },
    (code) => {
      exit = code;
    },
    { out: (text) => world.out.write(text), err: (text) => world.err.write(text) },
  );
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    // Commander has said it already: help ends with 0, every mistake is usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const known = knownError(error, server);
    if (known === null) throw error;
    world.err.write(`rollout-run: ${printable(known.message)}\n`);
    return known.exit;
  }
}

function knownError(error: unknown, server: string): { readonly message: string; readonly exit: ExitCode } | null {
  if (error instanceof RolloutError) return { message: error.message, exit: error.exit };
  if (error instanceof ApiError || error instanceof NoAnswer) return refusalOf(error, server);
  // What the operating system refuses, such as a pipe that nobody reads any more. No bug, so no stack.
  const isSystems = error instanceof Error && typeof (error as NodeJS.ErrnoException).errno === 'number';
  return isSystems ? { message: error.message, exit: EXIT.notReachable } : null;
}

function realWorld(): CliWorld {
  // A closed terminal or pipe: nobody reads any more. What waits for the reader hears of it by itself.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const signals = endSignals();
  return {
    cwd: process.cwd(),
    nodeVersion: process.versions.node,
    clock: systemClock,
    random: systemRandom,
    stdin: process.stdin,
    canAsk: process.stdin.isTTY === true,
    out: process.stdout,
    isTerminal: isDrawable(process.stdout.isTTY === true, process.env),
    err: process.stderr,
    isDrawable: isDrawable(process.stderr.isTTY === true, process.env),
    onInterrupt: (handle) => {
      for (const name of signals) process.on(name, handle);
      return () => {
        for (const name of signals) process.off(name, handle);
      };
    },
  };
}
