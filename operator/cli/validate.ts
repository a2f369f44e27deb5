import { RolloutError } from '../../runtime/base/errors.ts';
import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { say, sayJson } from '../../runtime/cli/deps.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { CliWorld, K8sDeps } from './deps.ts';
import { isBlock, valueAt } from './manifest/block.ts';
import { documentsIn, type Manifest } from './manifest/documents.ts';
import { listWithin } from './manifest/list-within.ts';
import { isMeantAsRun, isRaw, runMistakes } from './manifest/run-check.ts';
import { fieldName, type Mistake, mistakeText } from './manifest/schema-check.ts';
import { readWhole, shownName } from './read-file.ts';
import { checkListBytes, checkListFile } from './read-list.ts';
import { serverMistakes } from './server-check.ts';
import { badLines, listText, type PlacedMistake, placedText } from './validate-text.ts';
import type { ValidateArguments } from './verb-arguments.ts';

/** What the API server takes at once, and more than any manifest has. */
const MOST_BYTES: number = 3 * 2 ** 20;

/** Asks the server only where that is wanted, so that no cluster is needed otherwise. */
export type Connect = (ask: (deps: K8sDeps) => Promise<readonly PlacedMistake[]>) => Promise<readonly PlacedMistake[]>;

/** `kubectl rollout-run validate`: manifests and lists, without a cluster unless --server is given. */
export async function validate(world: CliWorld, connect: Connect, args: ValidateArguments): Promise<ExitCode> {
  if (args.filename === undefined && args.items === undefined)
    throw new RolloutError('USAGE', 'give a manifest with -f, or a list with --items');
  if (args.filename === '-' && args.items === '-') throw new RolloutError('USAGE', 'standard input is one file: give -f or --items a path');
  const told = new Findings(world, args.json);
  const runs = args.filename === undefined ? [] : await checkManifests(world, args.filename, told);
  if (args.items !== undefined) await checkItems(world, args.items, args.raw || runs.some(({ value }) => isRaw(value)), told);
  const { filename } = args;
  const good = runs.filter(({ value }) => runMistakes(value).length === 0);
  if (args.server && filename !== undefined && good.length > 0)
    told.tell(await connect(async (deps) => (await Promise.all(good.map((run) => askServer(deps, filename, run)))).flat()));
  return told.end();
}

/** Resolves with the runs of the file, those that have mistakes among them. */
async function checkManifests(world: CliWorld, file: string, told: Findings): Promise<readonly Manifest[]> {
  const name = shownName(file);
  const text = (await readWhole(world, file, MOST_BYTES, 'is larger than the API server takes (3 MiB)')).toString('utf8');
  const { manifests, mistakes } = documentsIn(text);
  told.tell(mistakes.map(({ line, problem }) => ({ file: name, line, field: null, message: problem })));
  const runs = manifests.filter(({ value }) => isMeantAsRun(value));
  if (runs.length === 0 && mistakes.length === 0)
    told.tell([{ file: name, line: null, field: null, message: 'there is no RolloutRun in it' }]);
  for (const run of runs) {
    const wrong = runMistakes(run.value);
    told.tell(placed(name, run, wrong));
    if (wrong.length === 0) told.good(`${name}:${run.lineOf([])}: RolloutRun ${runName(run)} is valid`);
    await checkListWithin(name, run, manifests, told);
  }
  for (const other of manifests.filter((one) => !runs.includes(one)))
    told.good(`${name}:${other.lineOf([])}: ${kindOf(other)} is left to kubectl`);
  return runs;
}

async function checkListWithin(file: string, run: Manifest, all: readonly Manifest[], told: Findings): Promise<void> {
  const list = listWithin(run, all);
  if (list === null) return;
  if (list.kind === 'no-key') {
    const has = list.keys.join(', ') || 'none';
    const problem = `names a key that the ConfigMap of this file does not have; it has ${has}`;
    told.tell(placed(file, run, [{ path: ['spec', 'input', 'configMap'], problem: `spec.input.configMap ${problem}` }]));
    return;
  }
  const { manifest, path, bytes } = list;
  const report = await checkListBytes(bytes, `${file}, ${path.join('.')}`, isRaw(run.value) ? 'raw' : 'batch');
  // A block of text begins on the line below its key; a gzip has no lines of its own in the file.
  told.tell(badLines(file, report, path[0] === 'data' ? manifest.lineOf(path) + 1 : manifest.lineOf(path)));
  told.good(listText(`${file}:${manifest.lineOf(path)}`, report));
}

async function checkItems(world: CliWorld, file: string, raw: boolean, told: Findings): Promise<void> {
  const name = shownName(file);
  const report = await checkListFile(world, file, raw ? 'raw' : 'batch');
  told.tell(badLines(name, report));
  if (report.items === 0 && report.bad === 0) told.tell([{ file: name, line: null, field: null, message: 'the list is empty' }]);
  else told.good(listText(name, report));
}

async function askServer({ transport, namespace }: K8sDeps, file: string, run: Manifest): Promise<readonly PlacedMistake[]> {
  const metadata = isBlock(run.value['metadata']) ? run.value['metadata'] : {};
  const object = { ...run.value, metadata: { namespace, ...metadata } } as unknown as RolloutRun;
  return placed(shownName(file), run, await serverMistakes(transport, ROLLOUT_RUN, object));
}

function placed(file: string, run: Manifest, mistakes: readonly Mistake[]): readonly PlacedMistake[] {
  const all = mistakes.map((mistake) => ({
    file,
    line: run.lineOf(mistake.path),
    field: mistake.path.length === 0 ? null : fieldName(mistake.path),
    message: mistakeText(mistake),
  }));
  return all.toSorted((one, other) => one.line - other.line);
}

function runName({ value }: Manifest): string {
  const name = valueAt(value, 'metadata.name') ?? valueAt(value, 'metadata.generateName');
  return typeof name === 'string' ? name : '';
}

function kindOf({ value }: Manifest): string {
  return typeof value['kind'] === 'string' ? value['kind'] : 'a document without a kind';
}

/** What is told on the way, as text or at the end as JSON. */
class Findings {
  readonly #world: CliWorld;
  readonly #isJson: boolean;
  readonly #all: PlacedMistake[] = [];

  constructor(world: CliWorld, isJson: boolean) {
    this.#world = world;
    this.#isJson = isJson;
  }

  tell(mistakes: readonly PlacedMistake[]): void {
    this.#all.push(...mistakes);
    if (!this.#isJson) say(this.#world.out, mistakes.map(placedText));
  }

  good(line: string): void {
    if (!this.#isJson) say(this.#world.out, [line]);
  }

  end(): ExitCode {
    if (this.#isJson) sayJson(this.#world.out, { isValid: this.#all.length === 0, mistakes: this.#all });
    return this.#all.length === 0 ? EXIT.done : EXIT.usage;
  }
}
