import { type Command, Option } from 'commander';
import type { ExitCode } from '../../base/exit.ts';
import type { RunArguments } from '../arguments.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import type { Verbs } from '../program.ts';
import type { RunOption } from '../run-option.ts';
import { optionsOf } from '../run-settings.ts';

/** `rollout run` and `rollout retry`. */

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

export function addRun(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const run = program
    .command('run')
    .description('run every line of a JSONL file (OpenAI Batch format) and write one output line each; goes on with an unfinished run');
  addRunOptions(run, 'run')
    .addHelpText('after', RUN_EXAMPLES + EXIT_CODES)
    .action(async (input: string, args: RunArguments) => finish(await verbs.run(input, args)));
}

/** The same run with the same options; what is recorded as failed is opened again first. */
export function addRetry(program: Command, verbs: Verbs, finish: (exit: ExitCode) => void): void {
  const retry = program.command('retry').description('run the failed lines of a run again; their results take the place of their errors');
  addRunOptions(retry, 'retry')
    .addHelpText('after', RETRY_EXAMPLE + EXIT_CODES)
    .action(async (input: string, args: RunArguments) => finish(await verbs.run(input, { ...args, fresh: false, dryRun: false })));
}

function addRunOptions(command: Command, verb: 'run' | 'retry'): Command {
  command.argument('<input>', 'the JSONL file, a .gz of it, or - for stdin').showHelpAfterError(`(try: rollout ${verb} --help)`);
  for (const option of optionsOf(verb)) command.addOption(optionFrom(option));
  return command;
}

export function optionFrom(row: RunOption): Option {
  const option = new Option(row.flags, row.help);
  const { value } = row;
  if (value !== undefined) option.argParser<unknown>((text, before) => value(text, before as never));
  if (row.choices !== undefined) option.choices(row.choices);
  if (row.default !== undefined) option.default(row.default, row.shownDefault);
  if (row.isRequired) option.makeOptionMandatory();
  if (row.isHidden) option.hideHelp();
  return option;
}
