import { Command, CommanderError } from 'commander';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { printable } from '../../runtime/base/printable.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { ApiError, NoAnswer } from '../kube/api-error.ts';
import { createClient } from '../kube/client.ts';
import { kubeCredentials, readKubeConfig } from '../kube/credentials.ts';
import { createTransport } from '../kube/transport.ts';
import type { K8sDeps } from './deps.ts';
import { type ResultsArguments, results } from './results.ts';

interface ClusterArguments {
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
}

/** `kubectl rollout-run`, which is `rollout k8s` as well. */
export async function main(argv: readonly string[]): Promise<ExitCode> {
  let exit: ExitCode = EXIT.done;
  const program = new Command('kubectl rollout-run')
    .description('Runs of a cluster: looks at RolloutRuns, and fetches their results.')
    .option('-n, --namespace <name>', 'of the run (default: that of the context)')
    .option('--kubeconfig <file>', 'how the cluster is reached (default: as kubectl finds it)')
    .option('--context <name>', 'of the kubeconfig')
    .exitOverride();
  program
    .command('results')
    .description('write the output of a finished run to stdout, proved and checked on the way')
    .argument('<run>', 'name of the RolloutRun')
    .option('--errors', 'the errors file instead of the output', false)
    .option('--no-verify', 'do not prove first that each line of the input is in exactly one of the two files')
    .addHelpText('after', '\nExample:\n  kubectl rollout-run results my-run > answers.jsonl')
    .action(async (name: string, args: ResultsArguments) => {
      exit = await withCluster(program.opts<ClusterArguments>(), async (deps) => results(deps, name, args));
    });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exit;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const known = error instanceof RolloutError || error instanceof ApiError || error instanceof NoAnswer;
    if (!known) throw error;
    process.stderr.write(`rollout-run: ${printable(error.message)}\n`);
    return error instanceof RolloutError ? error.exit : EXIT.notReachable;
  }
}

async function withCluster(args: ClusterArguments, run: (deps: K8sDeps) => Promise<ExitCode>): Promise<ExitCode> {
  const config = readKubeConfig(args.kubeconfig ?? process.env['KUBECONFIG'] ?? null);
  if (args.context !== undefined) config.setCurrentContext(args.context);
  const credentials = kubeCredentials(config);
  const transport = createTransport({ credentials, clock: systemClock, userAgent: 'rollout-run' });
  try {
    return await run({
      client: createClient(transport),
      transport,
      namespace: args.namespace ?? credentials.namespace ?? 'default',
      clock: systemClock,
      random: systemRandom,
      out: process.stdout,
      err: process.stderr,
    });
  } finally {
    transport.close();
  }
}
