import { InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from '../../runtime/base/exit.ts';
import { RolloutCommand } from '../../runtime/cli/command.ts';
import { exitHelp } from '../../runtime/cli/exit-codes.ts';
import { toInterval } from '../../runtime/cli/option-values.ts';
import { EXITS, type ExitedVerb } from './exits.ts';
import { GOAL_FORM, type Goal, goalOf } from './goal.ts';
import type {
  CancelArguments,
  CreateArguments,
  DrainArguments,
  JsonArguments,
  ListArguments,
  ResultsArguments,
  StatusArguments,
  SuspendArguments,
  ValidateArguments,
  WaitArguments,
} from './verb-arguments.ts';

/** What the verbs do; main.ts gives the real ones. */
export interface Verbs {
  create(name: string, args: CreateArguments): Promise<ExitCode>;
  validate(args: ValidateArguments): Promise<ExitCode>;
  status(name: string, args: StatusArguments): Promise<ExitCode>;
  list(args: ListArguments): Promise<ExitCode>;
  workers(name: string, args: JsonArguments): Promise<ExitCode>;
  drain(name: string, worker: string, args: DrainArguments): Promise<ExitCode>;
  suspend(name: string, args: SuspendArguments): Promise<ExitCode>;
  resume(name: string, args: SuspendArguments): Promise<ExitCode>;
  cancel(name: string, args: CancelArguments): Promise<ExitCode>;
  explain(name: string, args: JsonArguments): Promise<ExitCode>;
  wait(name: string, args: WaitArguments): Promise<ExitCode>;
  results(name: string, args: ResultsArguments): Promise<ExitCode>;
}

/** Where help and mistakes are written. */
export interface ProgramOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export const PROGRAM = 'kubectl rollout-run';

export function buildProgram(verbs: Verbs, finish: (exit: ExitCode) => void, output: ProgramOutput): RolloutCommand {
  const program = new RolloutCommand(PROGRAM);
  program
    .description('Runs of a cluster (RolloutRuns): makes them, watches them, and fetches their results. `rollout k8s` is the same.')
    .option('-n, --namespace <name>', 'of the run (default: that of the context)')
    .option('--kubeconfig <file>', 'how the cluster is reached (default: as kubectl finds it)')
    .option('--context <name>', 'of the kubeconfig (default: the current one)')
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`(try: ${PROGRAM} --help)`)
    .addHelpText('after', exitHelp(EXITS.all));
  addMaking(program, verbs, finish);
  addLooking(program, verbs, finish);
  addSteering(program, verbs, finish);
  addEnding(program, verbs, finish);
  return program;
}

type Add = (program: RolloutCommand, verbs: Verbs, finish: (exit: ExitCode) => void) => void;

const addMaking: Add = (program, verbs, finish) => {
  verb(program, 'create', 'create a run of a file of lines', 'my-run -f items.jsonl --model-image my-registry/model:1 --parallelism 4')
    .argument('<run>', 'name of the RolloutRun that is made')
    .option('-f, --filename <file>', 'the list, one request per line; - for standard input')
    .option('--from-run-file <file>', 'a manifest of a RolloutRun, whose spec the run gets')
    .option('--model-image <image>', "of the model server in the workers' pods")
    .option('--parallelism <n>', 'number of workers', toCount(0, 10_000))
    .option('--concurrency <n>', 'items that one worker executes at a time', toCount(1, 4_096))
    .addOption(
      new Option('--dry-run [mode]', 'create nothing: `client` prints the manifests, `server` asks the API server').choices([
        'client',
        'server',
      ]),
    )
    .action(async (name: string, args: CreateArguments) => finish(await verbs.create(name, args)));
  verb(program, 'validate', 'check a manifest or a list, without a cluster', '-f run.yaml --items items.jsonl')
    .option('-f, --filename <file>', 'manifests, in one or more documents of YAML; - for standard input')
    .option('--items <file>', 'a list, checked line by line')
    .option('--raw', 'each line of the list is any JSON value', false)
    .option('--server', 'ask the API server as well, which knows what is there already', false)
    .action(async (args: ValidateArguments) => finish(await verbs.validate(args)));
};

const addLooking: Add = (program, verbs, finish) => {
  verb(program, 'status', 'where a run stands, and what is not as it should be', 'my-run --watch')
    .argument('<run>')
    .option('-w, --watch', 'show it until the run is over', false)
    .action(async (name: string, args: StatusArguments) => finish(await verbs.status(name, args)));
  verb(program, 'list', 'the runs of the namespace', '-A')
    .option('-A, --all-namespaces', 'of all namespaces', false)
    .action(async (args: ListArguments) => finish(await verbs.list(args)));
  verb(program, 'workers', 'the workers of a run, and how they are', 'my-run')
    .argument('<run>')
    .action(async (name: string, args: JsonArguments) => finish(await verbs.workers(name, args)));
  verb(program, 'explain', 'why a run does not go on, and what helps', 'my-run')
    .argument('<run>')
    .action(async (name: string, args: JsonArguments) => finish(await verbs.explain(name, args)));
  verb(program, 'wait', 'wait until a run is over, or where it is wanted', 'my-run --timeout 2h')
    .argument('<run>')
    .option('--for <condition>', GOAL_FORM, toGoal, 'Complete' as const)
    .option('--timeout <duration>', 'give up after so long, such as 30m (default: never)', toInterval)
    .action(async (name: string, args: WaitArguments) => finish(await verbs.wait(name, args)));
};

const addSteering: Add = (program, verbs, finish) => {
  verb(
    program,
    'drain',
    'tell one worker to leave: it hands back what it has, and its successor comes by itself',
    'my-run my-run-worker-0-0',
  )
    .argument('<run>')
    .argument('<worker>', `name of its pod, as \`${PROGRAM} workers\` shows it`)
    .option('--deadline <duration>', 'it is killed then (default: its terminationGracePeriodSeconds)', toInterval)
    .option('--no-wait', 'do not wait until it has left')
    .action(async (name: string, worker: string, args: DrainArguments) => finish(await verbs.drain(name, worker, args)));
  const waiting = (command: RolloutCommand): RolloutCommand =>
    command
      .argument('<run>')
      .option('--wait', 'until it is so', false)
      .option('--timeout <duration>', 'of --wait, such as 10m (default: for ever)', toInterval);
  waiting(verb(program, 'suspend', 'drain the workers and stop the coordinator; what is recorded is kept', 'my-run --wait')).action(
    async (name: string, args: SuspendArguments) => finish(await verbs.suspend(name, args)),
  );
  waiting(verb(program, 'resume', 'go on with a run that was suspended', 'my-run')).action(async (name: string, args: SuspendArguments) =>
    finish(await verbs.resume(name, args)),
  );
};

const addEnding: Add = (program, verbs, finish) => {
  verb(program, 'cancel', 'delete a run, after it is said what is lost with it', 'my-run')
    .argument('<run>')
    .option('-y, --yes', 'do not ask', false)
    .option('--wait', 'until it is gone', false)
    .action(async (name: string, args: CancelArguments) => finish(await verbs.cancel(name, args)));
  plainVerb(program, 'results', 'write the output of a run to stdout, proved and checked on the way', 'my-run > answers.jsonl')
    .argument('<run>', 'name of the RolloutRun')
    .option('--errors', 'the errors file instead of the output', false)
    .option('--partial', 'what is recorded of a run that has failed or is suspended', false)
    .option('--remaining', 'instead, the lines of its list that have no record: a list for another run', false)
    .option('--failed', 'instead, or with --remaining as well, the lines whose record is a failure', false)
    .option('--no-verify', 'do not prove first that each line of the input is in exactly one of the two files')
    .action(async (name: string, args: ResultsArguments) => finish(await verbs.results(name, args)));
};

function verb(program: RolloutCommand, name: ExitedVerb, description: string, example: string): RolloutCommand {
  return plainVerb(program, name, description, example).option('--json', 'print JSON', false);
}

function plainVerb(program: RolloutCommand, name: ExitedVerb, description: string, example: string): RolloutCommand {
  return program
    .command(name)
    .description(description)
    .showHelpAfterError(`(try: ${PROGRAM} ${name} --help)`)
    .addHelpText('after', `\nExample:\n  ${PROGRAM} ${name} ${example}\n${exitHelp(EXITS[name])}`) as RolloutCommand;
}

function toCount(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`give a whole number from ${least} to ${most}.`);
    return value;
  };
}

function toGoal(text: string): Goal {
  const goal = goalOf(text);
  if (goal === null) throw new InvalidArgumentError(`give ${GOAL_FORM}.`);
  return goal;
}
