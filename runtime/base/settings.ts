import { readFile } from 'node:fs/promises';
import { type Document, isMap, isScalar, LineCounter, parseDocument } from 'yaml';
import type { z } from 'zod';
import { RolloutError } from './errors.ts';
import { type Mistake, mistakesOf } from './settings-mistakes.ts';

export interface Rules<T> {
  readonly schema: z.ZodType<T>;
  /** What must hold between values that are right by themselves; `field` is dotted: `timing.pollWait`. */
  readonly check: (value: T) => readonly { readonly field: string; readonly problem: string }[];
}

/** Reads a YAML settings file. All mistakes are reported at once: RolloutError CONFIG_INVALID. */
export async function loadSettings<T>(path: string, rules: Rules<T>): Promise<T> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new RolloutError('CONFIG_INVALID', `cannot read the settings ${path}: check the path given with --config`, { cause: error });
  }
  return parseSettings(path, text, rules);
}

/** `file` is only a name for messages. */
function parseSettings<T>(file: string, text: string, rules: Rules<T>): T {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const syntax = document.errors.map((error) => `${file}: line ${lines.linePos(error.pos[0]).line}: ${error.message}`);
  if (syntax.length > 0) throw invalid(syntax);
  if (document.contents !== null && !isMap(document.contents)) throw invalid([`${file}: must hold settings as \`name: value\` lines`]);

  const input: unknown = document.toJS() ?? {};
  const parsed = rules.schema.safeParse(input);
  const mistakes = parsed.success
    ? rules.check(parsed.data).map(({ field, problem }): Mistake => ({ path: field.split('.'), kind: 'value', problem }))
    : parsed.error.issues.flatMap((issue) => mistakesOf(issue, rules.schema, input));
  if (parsed.success && mistakes.length === 0) return parsed.data;
  throw invalid(mistakes.map((mistake) => `${file}: ${describe(mistake, placeOf(document, lines, mistake.path))}`));
}

function describe(mistake: Mistake, place: string): string {
  if (mistake.kind === 'unknown-key') return `unknown key \`${String(mistake.path.at(-1))}\`${place}; ${mistake.problem}`;
  return `\`${mistake.path.map(String).join('.')}\`${place} ${mistake.problem}`;
}

/** ` at line 12`; a value that nobody gave has no place. */
function placeOf(document: Document, lines: LineCounter, path: readonly PropertyKey[]): string {
  const offset = offsetOf(document.contents, path);
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
