import { stringify } from 'yaml';
import { counted } from '../../runtime/base/config/quantity.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { API_VERSION, KIND } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { CONFIG_MAP, type ConfigMap } from '../kube/kind.ts';
import type { CliWorld, K8sDeps } from './deps.ts';
import { listContent, MOST_LIST_BYTES, tooLarge } from './list-content.ts';
import type { Block } from './manifest/block.ts';
import { documentsIn } from './manifest/documents.ts';
import type { ListReport } from './manifest/list-check.ts';
import { isMeantAsRun, isRaw, runMistakes } from './manifest/run-check.ts';
import { type Mistake, mistakeText } from './manifest/schema-check.ts';
import { listConfigMap, plannedRun } from './planned-run.ts';
import { readWhole, shownName } from './read-file.ts';
import { checkListBytes } from './read-list.ts';
import { mistakesOfNew } from './server-check.ts';
import type { CreateArguments } from './verb-arguments.ts';

/** Calls back with a cluster; without one, nothing is asked, and the namespace is that of the arguments. */
export type Connect = (run: (deps: K8sDeps) => Promise<ExitCode>) => Promise<ExitCode>;

const MOST_MANIFEST_BYTES: number = 3 * 2 ** 20;

/** What is to be made; without a namespace where none was named and no cluster is asked. */
interface Planned {
  readonly run: RolloutRun;
  /** Null where the manifest has an input of its own. */
  readonly list: ConfigMap | null;
  readonly report: ListReport | null;
}

/** `kubectl rollout-run create`: a run of a file of lines, and the ConfigMap that holds them. */
export async function create(
  world: CliWorld,
  connect: Connect,
  name: string,
  namespace: string | undefined,
  args: CreateArguments,
): Promise<ExitCode> {
  if (args.dryRun === true || args.dryRun === 'client') return print(world, await plan(world, name, namespace ?? null, args), args);
  return connect(async (deps) => {
    const planned = await plan(world, name, deps.namespace, args);
    return args.dryRun === 'server' ? checkOnServer(deps, planned, args) : make(deps, planned, args);
  });
}

async function plan(world: CliWorld, name: string, namespace: string | null, args: CreateArguments): Promise<Planned> {
  const template = args.fromRunFile === undefined ? null : await readTemplate(world, args.fromRunFile);
  const run = plannedRun(name, namespace, template, args.filename !== undefined, args);
  refuse(args.fromRunFile, runMistakes(run));
  const list = args.filename === undefined ? null : await readList(world, name, namespace, args.filename, isRaw(run));
  return { run: run as unknown as RolloutRun, list: list?.list ?? null, report: list?.report ?? null };
}

async function readTemplate(world: CliWorld, file: string): Promise<Block> {
  const text = (await readWhole(world, file, MOST_MANIFEST_BYTES, 'is larger than the API server takes (3 MiB)')).toString('utf8');
  const { manifests, mistakes } = documentsIn(text);
  const [mistake] = mistakes;
  if (mistake !== undefined) throw new RolloutError('USAGE', `${shownName(file)}:${mistake.line}: ${mistake.problem}`);
  const runs = manifests.filter(({ value }) => isMeantAsRun(value));
  const [run, another] = runs;
  if (run === undefined) throw new RolloutError('USAGE', `there is no RolloutRun in ${shownName(file)}: give the manifest of one`);
  if (another !== undefined)
    throw new RolloutError(
      'USAGE',
      `there are ${runs.length} RolloutRuns in ${shownName(file)}, and one is made of one: leave one in the file`,
    );
  return run.value;
}

function refuse(file: string | undefined, mistakes: readonly Mistake[]): void {
  if (mistakes.length === 0) return;
  const lines = mistakes.map((mistake) => `  ${mistakeText(mistake)}`);
  const way = file === undefined ? '' : `\n\`kubectl rollout-run validate -f ${file}\` shows their lines`;
  throw new RolloutError('USAGE', `the run would not be allowed:\n${lines.join('\n')}${way}`);
}

async function readList(
  world: CliWorld,
  name: string,
  namespace: string | null,
  file: string,
  raw: boolean,
): Promise<{ readonly list: ConfigMap; readonly report: ListReport }> {
  const bytes = await readWhole(world, file, MOST_LIST_BYTES, tooLarge('has more than 64 MiB'));
  const report = await checkListBytes(bytes, shownName(file), raw ? 'raw' : 'batch');
  if (report.items === 0) {
    const [first] = report.shown;
    const why = first === undefined ? 'it is empty' : `line ${first.lineNumber}: ${first.code}: ${first.message}`;
    throw new RolloutError('INPUT_INVALID', `${shownName(file)} has no item: ${why}. Nothing was created`);
  }
  return { list: listConfigMap(name, namespace, await listContent(bytes, shownName(file))), report };
}

function print({ out, err }: CliWorld, { run, list, report }: Planned, { json }: CreateArguments): ExitCode {
  const objects = [...(list === null ? [] : [list]), run];
  if (json) for (const one of objects) sayJson(out, one);
  else out.write(objects.map((one) => stringify(one, { lineWidth: 0 })).join('---\n'));
  warn(err, report);
  return EXIT.done;
}

async function checkOnServer(
  { transport, out, err }: K8sDeps,
  { run, list, report }: Planned,
  { json }: CreateArguments,
): Promise<ExitCode> {
  const mistakes = [
    ...(list === null ? [] : await mistakesOfNew(transport, CONFIG_MAP, list)),
    ...(await mistakesOfNew(transport, ROLLOUT_RUN, run)),
  ];
  if (mistakes.length > 0)
    throw new RolloutError('USAGE', `the API server would refuse it:\n${mistakes.map((one) => `  ${one.problem}`).join('\n')}`);
  if (json)
    sayJson(out, { dryRun: 'server', run: run.metadata.name, configMap: list?.metadata.name ?? null, items: report?.items ?? null });
  else say(out, [...(list === null ? [] : [`${listText(list)} would be created`]), `${runText(run)} would be created`]);
  warn(err, report);
  return EXIT.done;
}

/** The list first, so that the run finds it. It belongs to the run, and goes with it. */
async function make(deps: K8sDeps, { run, list, report }: Planned, { json }: CreateArguments): Promise<ExitCode> {
  const { client, namespace, out, err } = deps;
  const made = list === null ? null : await client.create(CONFIG_MAP, list);
  const created = await createRun(deps, run, made);
  if (made !== null)
    await client.patch(CONFIG_MAP, { namespace, name: made.metadata.name }, { metadata: { ownerReferences: [ownerOf(created)] } }, PATCH);
  const { name } = run.metadata;
  if (json)
    sayJson(out, { run: name, namespace, configMap: made?.metadata.name ?? null, items: report?.items ?? null, bad: report?.bad ?? null });
  else {
    if (made !== null) say(out, [`${listText(made)} created (${counted(report?.items ?? 0, 'item')})`]);
    say(out, [`${runText(created)} created`]);
    say(err, [`watch it with \`kubectl rollout-run status ${name} -n ${namespace} --watch\``]);
  }
  warn(err, report);
  return EXIT.done;
}

const PATCH = { type: 'merge', fieldManager: 'kubectl-rollout-run' } as const;

/** A list without its run is of no use to anybody. */
async function createRun({ client, namespace }: K8sDeps, run: RolloutRun, list: ConfigMap | null): Promise<RolloutRun> {
  try {
    return await client.create(ROLLOUT_RUN, run);
  } catch (error) {
    if (list !== null)
      await client.delete(
        CONFIG_MAP,
        { namespace, name: list.metadata.name },
        list.metadata.uid === undefined ? {} : { uid: list.metadata.uid },
      );
    throw error;
  }
}

/** Not as its controller: nobody keeps the ConfigMap as it is. */
function ownerOf({ metadata }: RolloutRun): object {
  return { apiVersion: API_VERSION, kind: KIND, name: metadata.name, uid: metadata.uid };
}

function listText({ metadata }: ConfigMap): string {
  return `configmap/${metadata.name}`;
}

function runText({ metadata }: RolloutRun): string {
  return `rolloutrun.rollout.run/${metadata.name}`;
}

function warn(err: CliWorld['err'], report: ListReport | null): void {
  if (report === null || report.bad === 0) return;
  const [first] = report.shown;
  const example = first === undefined ? '' : ` (the first is line ${first.lineNumber}: ${first.message})`;
  say(err, [
    `${counted(report.bad, 'bad line')} will be recorded as failed${example}: \`kubectl rollout-run validate --items\` shows them`,
  ]);
}
