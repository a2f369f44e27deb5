import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { RolloutError } from '../errors.ts';
import { type Mistake, mistakesOf } from './settings-mistakes.ts';

export interface Rules<T> {
  readonly schema: z.ZodType<T>;
  /** What must hold between values that are right by themselves; `field` is dotted: `timing.pollWait`. */
  readonly check: (value: T) => readonly { readonly field: string; readonly problem: string }[];
}

/**
 * One block of settings, or a list of such blocks; an empty text is an empty list. All mistakes are reported at once: RolloutError
 * CONFIG_INVALID. `file` is only a name for messages.
 */
export function parseEntries<T>(file: string, text: string, most: number, rules: Rules<T>): readonly T[] {
  const yaml = parseYaml(file, text);
  const nodes = entriesOf(yaml.document.contents);
  if (nodes.length > most) throw invalid([`${file}: must hold at most ${most} entries, but holds ${nodes.length}`]);
  const checked = nodes.map((node) => {
    const [input, at] = isNode(node) ? [node.toJS(yaml.document), node.range?.[0] ?? null] : [node, null];
    return checkBlock(yaml, { node, input, at }, rules);
  });
  const mistakes = checked.flatMap((one) => (one.kind === 'wrong' ? one.mistakes : []));
  if (mistakes.length > 0) throw invalid(mistakes);
  return checked.flatMap((one) => (one.kind === 'right' ? [one.value] : []));
}

function entriesOf(contents: unknown): readonly unknown[] {
  if (isSeq(contents)) return contents.items;
  const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
  return isEmpty ? [] : [contents];
}

/**
 * All mistakes are reported at once: RolloutError CONFIG_INVALID. `file` is only a name for messages; `given` stands above what the text
 * says.
 */
export function parseSettings<T>(file: string, text: string, rules: Rules<T>, given: Readonly<Record<string, string>> = {}): T {
  const yaml = parseYaml(file, text);
  const { contents } = yaml.document;
  const checked = checkBlock(yaml, { node: contents, input: { ...yaml.document.toJS(), ...given }, at: null }, rules);
  if (checked.kind === 'right') return checked.value;
  throw invalid(checked.mistakes);
}

interface Yaml {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

function parseYaml(file: string, text: string): Yaml {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = document.errors.map((error) => `${file}: line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  if (syntax.length > 0) throw invalid(syntax);
  return { file, document, lines };
}

interface Block {
  readonly node: unknown;
  readonly input: unknown;
  /** Where a mistake stands that has no place of its own; null where that says nothing. */
  readonly at: number | null;
}

type CheckedBlock<T> = { readonly kind: 'right'; readonly value: T } | { readonly kind: 'wrong'; readonly mistakes: readonly string[] };

function checkBlock<T>({ file, lines }: Yaml, { node, input, at }: Block, rules: Rules<T>): CheckedBlock<T> {
  const place = (path: readonly PropertyKey[]): string => placeAt(lines, offsetOf(node, path) ?? at);
  if (node !== null && !isMap(node)) {
    return { kind: 'wrong', mistakes: [`${file}:${place([])} must hold settings as \`name: value\` lines`] };
  }
  const parsed = rules.schema.safeParse(input);
  const mistakes = parsed.success
    ? rules.check(parsed.data).map(({ field, problem }): Mistake => ({ path: field.split('.'), kind: 'value', problem }))
    : parsed.error.issues.flatMap((issue) => mistakesOf(issue, rules.schema, input));
  if (parsed.success && mistakes.length === 0) return { kind: 'right', value: parsed.data };
  return { kind: 'wrong', mistakes: mistakes.map((mistake) => `${file}: ${describe(mistake, place(mistake.path))}`) };
}

function describe(mistake: Mistake, place: string): string {
  if (mistake.kind === 'unknown-key') return `unknown key \`${String(mistake.path.at(-1))}\`${place}; ${mistake.problem}`;
  return `\`${mistake.path.map(String).join('.')}\`${place} ${mistake.problem}`;
}

/** ` at line 12`; empty for a value that nobody gave. */
function placeAt(lines: LineCounter, offset: number | null): string {
  return offset === null ? '' : ` at line ${lines.linePos(offset).line}`;
}

/** Where the key that `path` leads to stands; for what is missing, the nearest block around it that is there. */
function offsetOf(node: unknown, path: readonly PropertyKey[]): number | null {
  const [key, ...rest] = path;
  if (key === undefined || !isMap(node)) return null;
  const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === String(key));
  if (pair === undefined) return null;
  return offsetOf(pair.value, rest) ?? (isScalar(pair.key) ? (pair.key.range?.[0] ?? null) : null);
}

function invalid(mistakes: readonly string[]): RolloutError {
  return new RolloutError('CONFIG_INVALID', mistakes.join('\n'));
}
