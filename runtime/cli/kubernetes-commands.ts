import type { Command } from 'commander';
import type { ExitCode } from '../base/exit.ts';
import { exitHelp } from './exit-codes.ts';
import type { MockServerArguments } from './mock-server/mock-server.ts';
import { toDuration, toPort, toRate } from './option-values.ts';
import type { ResultsServerArguments } from './results-server/results-server.ts';
import type { FetchInputArguments } from './verbs/fetch-input.ts';

/** What serves runs on Kubernetes: for people, and, hidden, for the pods that the operator makes. */
export interface KubernetesVerbs {
  k8s(args: readonly string[]): Promise<ExitCode>;
  mockServer(args: MockServerArguments): Promise<ExitCode>;
  fetchInput(args: FetchInputArguments): Promise<ExitCode>;
  exportFinished(args: { readonly config: string }): Promise<ExitCode>;
  resultsServer(args: ResultsServerArguments): Promise<ExitCode>;
}

const MOCK_SERVER_EXITS = { 0: 'it was told to end', 2: 'usage, or the port is taken', 70: null };

export function addKubernetes(program: Command, verbs: KubernetesVerbs, finish: (exit: ExitCode) => void): void {
  addK8s(program, verbs, finish);
  addMockServer(program, verbs, finish);
  addPodSteps(program, verbs, finish);
}

/** Takes all that follows as it is: the program behind it has commands and help of its own. */
function addK8s(program: Command, verbs: KubernetesVerbs, finish: (exit: ExitCode) => void): void {
  program
    .command('k8s')
    .description('runs on Kubernetes: the same as `kubectl rollout-run`')
    .argument('[arguments...]', 'see rollout k8s --help')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action(async (args: readonly string[]) => finish(await verbs.k8s(args)));
}

/** What the pods of a Kubernetes run do beside its processes. */
function addPodSteps(program: Command, verbs: KubernetesVerbs, finish: (exit: ExitCode) => void): void {
  program
    .command('fetch-input', { hidden: true })
    .description("copy a run's list to its own volume, once")
    .option('--file <path>', 'where the list is')
    .option('--url <url>', 'where it is fetched from')
    .option('--sha256 <hex>', 'what it must have')
    .requiredOption('--to <path>', 'where the copy goes')
    .action(async (args: FetchInputArguments) => finish(await verbs.fetchInput(args)));
  program
    .command('export-finished', { hidden: true })
    .description('write the output files of a finished run whose results are on a server')
    .requiredOption('--config <file>', 'settings of its coordinator')
    .action(async (args: { readonly config: string }) => finish(await verbs.exportFinished(args)));
  program
    .command('results-server', { hidden: true })
    .description('show the files of a run to whoever knows the token')
    .option('--state <dir>', 'the state directory of a finished run')
    .option('--config <file>', 'settings of the coordinator of one that need not be finished')
    .option('--host <address>', 'where it listens', '0.0.0.0')
    .option('--port <port>', 'where it listens', toPort, 8_080)
    .option('--token-env <NAME>', 'variable with the token', 'ROLLOUT_RESULTS_TOKEN')
    .option('--epoch-env <NAME>', 'variable with the highest known epoch of the run', 'ROLLOUT_RESULTS_EPOCH')
    .action(async (args: ResultsServerArguments) => finish(await verbs.resultsServer(args)));
}

function addMockServer(program: Command, verbs: KubernetesVerbs, finish: (exit: ExitCode) => void): void {
  program
    .command('mock-server')
    .description('an OpenAI-compatible server without a model, which repeats the last message: for trials')
    .option('--host <address>', 'where it listens', '127.0.0.1')
    .option('--port <port>', 'where it listens; 0: the system chooses', toPort, 8_000)
    .option('--latency <duration>', 'time of one answer', toDuration, '20ms')
    .option('--failure-rate <share>', 'share of the requests that are refused, the same ones each time', toRate, 0)
    .addHelpText('after', `\nExample:\n  rollout mock-server --port 8000\n${exitHelp(MOCK_SERVER_EXITS)}`)
    .action(async (args: MockServerArguments) => finish(await verbs.mockServer(args)));
}
