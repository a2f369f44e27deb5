import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say } from '../../runtime/cli/deps.ts';
import { type RemainingCount, remainingText } from '../../runtime/cli/remaining-text.ts';
import type { ItemForm } from '../../runtime/model/session.ts';
import { isTrue } from '../api/conditions.ts';
import type { RolloutRun } from '../api/run.ts';
import { PARTIAL_READER_KEY, READER_KEY } from '../rollout/desired/reader-pod.ts';
import type { K8sDeps } from './deps.ts';
import { requireRun } from './find-run.ts';
import { type Reader, withReader } from './reader.ts';
import { type RecordedCount, recordedText, resultsRefusal } from './results-text.ts';
import type { ResultsArguments } from './verb-arguments.ts';

/** `kubectl rollout-run results`: what is recorded of a run on stdout, or the lines of its list that have no result. */
export async function results(deps: K8sDeps, name: string, args: ResultsArguments): Promise<ExitCode> {
  const run = await requireRun(deps, name);
  const refusal = resultsRefusal(run, args);
  if (refusal !== null) throw new RolloutError('USAGE', refusal);
  const isList = args.remaining || args.failed;
  const isWhole = !isList && isTrue(run.status?.conditions ?? [], 'Complete');
  return withReader(deps, run, isWhole ? READER_KEY : PARTIAL_READER_KEY, async (reader) => {
    if (isList) return showList(deps, name, args, reader);
    return isWhole ? showWhole(deps, name, args, reader) : showPart(deps, run, args, reader);
  });
}

/** Proved in the cluster, and checked on the way. */
async function showWhole({ err }: K8sDeps, name: string, args: ResultsArguments, reader: Reader): Promise<ExitCode> {
  if (args.verify) {
    const { exit, body } = await reader.ask('verify');
    const isProven = exit === EXIT.done;
    say(err, [isProven ? `${name}: each line of the input is in exactly one of the two files` : `${name}: NOT verified: ${body.trim()}`]);
    if (!isProven) return EXIT.verifyBroken;
  }
  await reader.copy(args.errors ? 'errors' : 'output');
  return EXIT.done;
}

async function showPart({ err }: K8sDeps, run: RolloutRun, args: ResultsArguments, reader: Reader): Promise<ExitCode> {
  const { exit, body } = await reader.ask('results');
  await reader.copy(args.errors ? 'errors' : 'output');
  say(err, recordedText(run, JSON.parse(body) as RecordedCount));
  return exit === EXIT.done ? EXIT.done : EXIT.verifyBroken;
}

async function showList({ err }: K8sDeps, name: string, args: ResultsArguments, reader: Reader): Promise<ExitCode> {
  const page = [...(args.remaining ? ['remaining'] : []), ...(args.failed ? ['failed'] : [])].join('-');
  const { form, ...count } = JSON.parse((await reader.ask(page)).body) as RemainingCount & { readonly form: ItemForm };
  await reader.copy('list');
  say(
    err,
    remainingText(count, form).map((line) => `${name}: ${line}`),
  );
  return EXIT.done;
}
