import { type Command, Help, Option } from 'commander';
import type { ExitCode } from '../base/exit.ts';
import type { RunArguments } from './arguments.ts';
import { RolloutCommand } from './command.ts';
import { EXIT_CODES, exitHelp } from './exit-codes.ts';
import { addKubernetes, type KubernetesVerbs } from './kubernetes-commands.ts';
import { toDuration, toReason } from './option-values.ts';
import { addRetry, addRun, optionFrom } from './run/run-command.ts';
import { RUN_OPTIONS } from './run-options.ts';
import type {
  CoordinatorArguments,
  DrainArguments,
  ExportArguments,
  FindArguments,
  StatusArguments,
  TestFenceArguments,
} from './verb-arguments.ts';
import type { DoctorArguments } from './verbs/doctor.ts';

/** What the verbs do; main.ts gives the real ones. */
export interface Verbs extends KubernetesVerbs {
  run(input: string, args: RunArguments): Promise<ExitCode>;
  status(args: StatusArguments): Promise<ExitCode>;
  drain(worker: string, args: DrainArguments): Promise<ExitCode>;
  export(args: ExportArguments): Promise<ExitCode>;
  verify(args: FindArguments): Promise<ExitCode>;
  coordinatorRun(args: CoordinatorArguments): Promise<ExitCode>;
  coordinatorTestFence(args: TestFenceArguments): Promise<ExitCode>;
  workerRun(args: { readonly config: string }): Promise<ExitCode>;
  doctor(args: DoctorArguments): Promise<ExitCode>;
  version(args: { readonly json: boolean }): Promise<ExitCode>;
}

const BAD_STATE = 'usage, or no run, or a damaged one: the message says what to change';
const STATUS_EXITS = {
  0: 'shown, or with --watch looked at until the end or Ctrl-C',
  2: BAD_STATE,
  4: 'the files could not be read',
  70: null,
};
const DRAIN_EXITS = {
  0: 'it has left, or was told to (--no-wait)',
  2: 'usage, or no such worker',
  4: 'no coordinator answers, or the worker was lost before it could leave',
  70: null,
  130: 'interrupted, and it goes on leaving',
};
const EXPORT_EXITS = {
  0: 'written',
  2: 'usage, or the run is not finished (with --remaining: it is being worked on), or the output cannot be written: the message says what to change',
  4: 'the files could not be read',
  6: 'written, but for recorded results that are damaged',
  70: null,
};
const VERIFY_EXITS = {
  0: 'it holds',
  2: 'usage, or the run is not finished',
  4: 'the files could not be read',
  6: 'it does not hold: the first violations are shown',
  70: null,
};
const DOCTOR_EXITS = {
  0: 'a run may be kept there; what may be lost is said',
  2: 'usage, or no run can be kept there: each cause is said with its remedy',
  4: 'it does not answer',
  70: null,
};
const WORKER_EXITS = {
  0: 'the run is finished, or it was told to leave and has',
  2: 'usage, settings, or a store of another run: the message says what to change',
  4: 'no model server or no coordinator answers; results that are not handed over are kept',
  70: null,
};

/** Where help and mistakes are written. */
export interface ProgramOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

export function buildProgram(verbs: Verbs, finish: (exit: ExitCode) => void, version: string, output?: ProgramOutput): Command {
  const program = new RolloutCommand('rollout');
  program
    .description('Runs a large list of independent work items and records exactly one result per item, whatever is killed on the way.')
    .version(version, '-V, --version', 'print the version')
    .addHelpText('after', EXIT_CODES)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput(output === undefined ? {} : { writeOut: output.out, writeErr: output.err })
    .configureHelp({ optionDescription: describeOption })
    .showHelpAfterError('(try: rollout --help)');
  addRun(program, verbs, finish);
  addRetry(program, verbs, finish);
  addStatus(program, verbs, finish);
  addDrain(program, verbs, finish);
  addExport(program, verbs, finish);
  addVerify(program, verbs, finish);
  addDoctor(program, verbs, finish);
  addProcesses(program, verbs, finish);
  addKubernetes(program, verbs, finish);
  program
    .command('version')
    .description('print the version')
    .option('--json', 'print JSON', false)
    .action(async (args: { readonly json: boolean }) => finish(await verbs.version(args)));
  return program;
}

function addStatus(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  findable(program.command('status').description('where the run stands, whether or not it is being worked on'))
    .option('--watch', 'show it again every second until the run ends', false)
    .addHelpText('after', `\nExample:\n  rollout status --state answers.jsonl.rollout --watch\n${exitHelp(STATUS_EXITS)}`)
    .action(async (args: StatusArguments) => finish(await verbs.status(args)));
}

function addDrain(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const drain = program.command('drain').description('tell one worker to finish what it can, hand back the rest, and leave for good');
  findable(drain.argument('<worker>', 'its id, as `rollout status` shows it'))
    .option('--deadline <duration>', 'it must be gone by then (default: 75 % of its terminationGracePeriod)', toDuration)
    .option('--reason <text>', 'for events and status', toReason)
    .option('--no-wait', 'do not wait until it has left')
    .addHelpText('after', `\nExample:\n  rollout drain w2 --deadline 60s --state answers.jsonl.rollout\n${exitHelp(DRAIN_EXITS)}`)
    .action(async (worker: string, args: DrainArguments) => finish(await verbs.drain(worker, args)));
}

function addExport(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  findable(program.command('export').description('write the output files from what is recorded, or the lines that have no result'))
    .option('--partial', 'also while items are still to do; to <output>.partial unless --output is given', false)
    .option('--remaining', 'instead, the lines of the input that have no record: a list for another run, at --output', false)
    .option('--failed', 'instead, or with --remaining as well, the lines whose record is a failure', false)
    .addOption(new Option('--order <order>', 'of the output lines (default: that of the run)').choices(['input', 'completion']))
    .option('--output <path>', 'write here instead of to the output of the run')
    .option('--overwrite', 'replace files there that this run has not written', false)
    .addHelpText(
      'after',
      `\nExample:\n  rollout export --state answers.jsonl.rollout --partial --output so-far.jsonl\n  rollout export --state answers.jsonl.rollout --remaining --output left.jsonl\n${exitHelp(EXPORT_EXITS)}`,
    )
    .action(async (args: ExportArguments) => finish(await verbs.export(args)));
}

function addVerify(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  findable(
    program.command('verify').description('prove from input, ledger and output files that each input line is in exactly one of them'),
  )
    .addHelpText('after', `\nExample:\n  rollout verify --state answers.jsonl.rollout\n${exitHelp(VERIFY_EXITS)}`)
    .action(async (args: FindArguments) => finish(await verbs.verify(args)));
}

function addDoctor(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const { redis, redisPasswordFile, redisCaCert, redisCert, redisKey } = RUN_OPTIONS;
  const { redisSentinelPasswordFile, redisSentinelUser, redisSentinelCaCert } = RUN_OPTIONS;
  const doctor = program.command('doctor').description('whether a run may be kept on a Redis server, and what may be lost on it');
  doctor.showHelpAfterError('(try: rollout doctor --help)').option(redis.flags, 'the server, as with `rollout run`');
  doctor.option('--state <dir>', 'a run: the server that has it is examined');
  const ofSentinels = [redisSentinelPasswordFile, redisSentinelUser, redisSentinelCaCert];
  for (const option of [redisPasswordFile, ...ofSentinels, redisCaCert, redisCert, redisKey]) doctor.addOption(optionFrom(option));
  doctor
    .option('--json', 'print JSON', false)
    .addHelpText('after', `\nExample:\n  rollout doctor --redis redis://127.0.0.1:6379\n${exitHelp(DOCTOR_EXITS)}`)
    .action(async (args: DoctorArguments) => finish(await verbs.doctor(args)));
}

const RERUN_DAMAGED = RUN_OPTIONS.rerunDamaged;

function addProcesses(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const coordinator = program
    .command('coordinator')
    .description('the process that owns the ledger of a run (several machines; see docs/settings.md)');
  coordinator
    .command('run')
    .description('run a coordinator in the foreground')
    .showHelpAfterError('(try: rollout coordinator run --help)')
    .requiredOption('--config <file>', 'its settings, a YAML file (docs/settings.md)')
    .option('--resume', 'go on with a paused run', false)
    .option('--retry-failed', 'run failed items again', false)
    .option(RERUN_DAMAGED.flags, RERUN_DAMAGED.help, false)
    .addHelpText('after', EXIT_CODES)
    .action(async (args: CoordinatorArguments) => finish(await verbs.coordinatorRun(args)));
  coordinator
    .command('test-fence', { hidden: true })
    .description('serve a tiny run, have a rival take its lease, and end in time')
    .option('--state <dir>', 'where the run is kept (default: a new temporary directory)')
    .option('--redis <url>', 'its ledger is on this Redis server')
    .option('--spin', 'the main loop spins from the moment of fencing', false)
    .option('--hang', 'the store does not let go', false)
    .action(async (args: TestFenceArguments) => finish(await verbs.coordinatorTestFence(args)));
  program
    .command('worker')
    .description('the process that executes items on its backend (several machines; see docs/settings.md)')
    .command('run')
    .description('run a worker in the foreground')
    .showHelpAfterError('(try: rollout worker run --help)')
    .requiredOption('--config <file>', 'its settings, a YAML file (docs/settings.md)')
    .addHelpText('after', exitHelp(WORKER_EXITS))
    .action(async (args: { readonly config: string }) => finish(await verbs.workerRun(args)));
}

/** That a switch is off by default goes without saying; that an option has to be given does not. */
function describeOption(this: Help, option: Option): string {
  const description = option.defaultValue === false ? option.description : new Help().optionDescription(option);
  return option.mandatory ? `${description} (required)` : description;
}

function findable(command: Command): Command {
  return command
    .showHelpAfterError(`(try: rollout ${command.name()} --help)`)
    .option('--state <dir>', 'the state directory of the run (default: the only *.rollout below this folder)')
    .option('--json', 'print JSON', false);
}
