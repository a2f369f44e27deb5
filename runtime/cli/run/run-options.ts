import { type Command, Option } from 'commander';
import type { ExitCode } from '../../base/exit.ts';
import {
  type RunArguments,
  TIMINGS,
  toAnswerSize,
  toAttempts,
  toConcurrency,
  toCount,
  toDuration,
  toFailureLimit,
  toHeaders,
  toKeyHeader,
  toRate,
  toSize,
  toTimings,
  toUrls,
  toVariableName,
  toWorkers,
} from '../arguments.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Verbs } from '../program.ts';

/** The options of `rollout run` and `rollout retry`. */

const RUN_EXAMPLES = `
Examples:
  rollout run prompts.jsonl --output answers.jsonl --base-url http://127.0.0.1:8000 --model my-model
  rollout run prompts.jsonl --output answers.jsonl --base-url http://gpu-a:8000 --base-url http://gpu-b:8000 --workers 4
  zcat prompts.jsonl.gz | rollout run - --output answers.jsonl --base-url http://127.0.0.1:8000
  rollout run prompts.jsonl --output answers.jsonl --backend mock        (no server: try it out)
  rollout run prompts.jsonl --output answers.jsonl --dry-run             (check the input, run nothing)

The same command again goes on where it stopped, after Ctrl-C, kill -9 or a reboot.
`;

const RETRY_EXAMPLE = `
Example, with the arguments of the run:
  rollout retry prompts.jsonl --failed --output answers.jsonl --base-url http://127.0.0.1:8000

What is done stays as it is. An interrupted retry goes on with the same command, or with that of the run. Not while the run goes on.
`;

export const RERUN_DAMAGED = [
  '--rerun-damaged',
  'run items again whose recorded outcome is damaged or gone; the damaged files are kept',
  false,
] as const;

export function addRun(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const run = program
    .command('run')
    .description('run every line of a JSONL file (OpenAI Batch format) and write one output line each; goes on with an unfinished run');
  addRunOptions(run)
    .option('--fresh', 'move an existing state directory aside and start over', false)
    .option('--dry-run', 'index and check the input, estimate the disk space, run nothing', false)
    .addHelpText('after', RUN_EXAMPLES + EXIT_CODES)
    .action(async (input: string, args: RunArguments) => finish(await verbs.run(input, args)));
}

/** The same run with the same options; what is recorded as failed is opened again first. */
export function addRetry(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const retry = program.command('retry').description('run the failed lines of a run again; their results take the place of their errors');
  addRunOptions(retry)
    .requiredOption('--failed', 'lines that failed, but for those that are no items: these would fail again')
    .addHelpText('after', RETRY_EXAMPLE + EXIT_CODES)
    .action(async (input: string, args: RunArguments) => finish(await verbs.run(input, { ...args, fresh: false, dryRun: false })));
}

function addRunOptions(run: Command): Command {
  run
    .argument('<input>', 'the JSONL file, a .gz of it, or - for stdin')
    .requiredOption('--output <path>', 'where results go; failures go to <path>.errors.jsonl')
    .option('--overwrite', 'replace files at the output that this run has not written', false)
    .showHelpAfterError(`(try: rollout ${run.name()} --help)`);
  addBackendOptions(run);
  addInputOptions(run);
  // Five attempts outlast a server's restart and a rare fault, and an item that always fails is not paid for again and again.
  return run
    .option('--workers <n>', 'worker processes', toWorkers, 1)
    .option(
      '--concurrency <n>',
      'most items in flight per worker, over all its servers; fewer where a server carries less',
      toConcurrency,
      64,
    )
    .option(
      '--max-attempts <n>',
      'failures of an item until it is recorded as failed; those of a server that fails every item do not count',
      toAttempts,
      5,
    )
    .option('--max-failed <n|n%>', 'pause the run once more items than this have failed; a number, or a share of all', toFailureLimit)
    .option('--stragglers', 'at the end of the list, give idle workers a second attempt of items that run long', false)
    .option('--state <dir>', 'where the run is kept (default: <output>.rollout)')
    .option('--force', 'go on although input or options differ from those of the run', false)
    .option('--extend', 'lines were added to the end of the input: go on with the run, and run them too', false)
    .option(...RERUN_DAMAGED)
    .addOption(
      new Option('--log-level <level>', 'of the processes, in <state>/logs').choices(['debug', 'info', 'warn', 'error']).default('info'),
    )
    .option('--json', 'progress and summary as JSON lines on stdout', false)
    .option('--min-free-space <size>', 'with less left on the disk of the state directory the run waits', toSize, '64MiB')
    .addOption(new Option('--drain-timeout <duration>', 'what Ctrl-C leaves for items in flight').argParser(toDuration).default('20s'))
    .addOption(new Option('--timing <name=duration>', `for tests: ${TIMINGS.join(', ')}`).argParser(toTimings).default({}).hideHelp());
}

function addBackendOptions(run: Command): void {
  run
    .addOption(
      new Option('--base-url <url>', 'OpenAI-compatible server; may be repeated: each worker spreads its items over all of them')
        .argParser(toUrls)
        .default([], 'none'),
    )
    .addOption(new Option('--backend <name>', 'openai, or mock: answers made up without a server').choices(['openai', 'mock']))
    .option('--model <name>', 'fill body.model where it is absent')
    .option('--override-model <name>', 'replace body.model everywhere')
    .option('--api-key-env <NAME>', 'environment variable that holds the API key', toVariableName, 'OPENAI_API_KEY')
    .option(
      '--api-key-header <name>',
      'header that carries the key by itself, such as api-key (default: Authorization: Bearer)',
      toKeyHeader,
    )
    .option('--ca-cert <file>', 'certificates of authorities to trust beside the usual ones, PEM')
    .addOption(
      new Option(
        '--header <"Name: value">',
        'extra request header; repeatable; kept out of every file, but seen in the arguments of this command: a secret belongs into --api-key-env',
      )
        .argParser(toHeaders)
        .default({}, 'none'),
    )
    .option('--timeout <duration>', 'of one request, until its answer is whole', toDuration, '600s')
    .option('--max-answer-bytes <size>', 'a longer answer is given up; at most 14MiB', toAnswerSize, '12MiB')
    .option('--wait-backend <duration>', 'end with 4, everything kept, where no server has worked for so long', toDuration, '15m')
    .option('--stall-timeout <duration>', 'end with 4, everything kept, where no item has ended for so long (off by default)', toDuration)
    .option('--mock-latency <duration>', 'of the mock backend', toDuration, '20ms')
    .option('--mock-latency-spread <duration>', 'up to so much longer, evenly drawn for each execution', toDuration, '0ms')
    .option('--mock-failure-rate <0..1>', 'part of the mock executions that fail', toRate, 0);
}

function addInputOptions(run: Command): void {
  run
    .option('--raw', 'each line is any JSON value; its custom_id is the line number', false)
    .addOption(
      new Option('--on-invalid <what>', 'bad lines: record them as errors, or refuse the run')
        .choices(['record', 'fail'])
        .default('record'),
    )
    .addOption(new Option('--order <order>', 'of the output lines').choices(['input', 'completion']).default('input'))
    .option('--limit <n>', 'only the first n items', toCount);
}
