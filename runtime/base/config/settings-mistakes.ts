import type * as z from 'zod';
import { nearest } from './nearest.ts';

/** One mistake in settings: `path` leads to the value (or, for an unknown key, to that key). */
export interface Mistake {
  readonly path: readonly PropertyKey[];
  readonly kind: 'unknown-key' | 'value';
  /** What is wrong with the field and what to do; continues "`field` …", for an unknown key it follows the place. */
  readonly problem: string;
}

/** Values under such keys are never shown. */
const SECRET = /key|token|secret|password|header|url/i;

/** What zod found, in words for people; `schema` is asked for the keys that it knows, `input` for the values. */
export function mistakesOf(issue: z.core.$ZodIssue, schema: z.ZodType, input: unknown): readonly Mistake[] {
  if (issue.code !== 'unrecognized_keys')
    return [{ path: issue.path, kind: 'value', problem: problemOf(issue, valueAt(input, issue.path)) }];
  const known = knownKeys(schema, issue.path, input);
  const meant = issue.keys.map((key) => nearest(key, known));
  // The list is long, and once is enough.
  const listedAt = meant.indexOf(null);
  return issue.keys.map((key, at) => ({
    path: [...issue.path, key],
    kind: 'unknown-key',
    problem: unknownKey(meant[at] ?? null, at === listedAt ? known : []),
  }));
}

function unknownKey(meant: string | null, known: readonly string[]): string {
  if (meant !== null) return `did you mean \`${meant}\`?`;
  return known.length === 0 ? 'remove it' : `remove it; known here are ${listOf(known)}`;
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function problemOf(issue: z.core.$ZodIssue, value: unknown): string {
  const wanted = wantedBy(issue);
  if (wanted === null) return issue.message;
  if (value === undefined) return `is missing: it must be ${wanted}`;
  const isSecret = issue.path.some((key) => SECRET.test(String(key)));
  return isSecret ? `must be ${wanted}` : `must be ${wanted}, but is ${JSON.stringify(value)}`;
}

/** What the value must be, or null where the issue's own message says it. */
function wantedBy(issue: z.core.$ZodIssue): string | null {
  switch (issue.code) {
    case 'invalid_type':
      return TYPE_NAMES.get(issue.expected) ?? issue.expected;
    case 'invalid_value':
      return `one of ${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options) ? `one of ${issue.options.join(', ')}` : null;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'not empty' : `at least ${issue.minimum}`;
    case 'too_big':
      return `at most ${issue.maximum}`;
    case 'custom':
    case 'invalid_format':
    case 'invalid_element':
    case 'invalid_key':
    case 'not_multiple_of':
    case 'unrecognized_keys':
      return null;
  }
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'text (in quotes where it looks like a number)'],
  ['int', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'a block of settings'],
]);

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), input);
}

/** The keys of the object at `path`; of several alternatives, those of the one whose discriminator the input names. */
function knownKeys(schema: z.ZodType, path: readonly PropertyKey[], input: unknown): readonly string[] {
  const [key, ...rest] = path;
  const shape = shapeOf(schema, input);
  if (key === undefined) return Object.keys(shape);
  const child = shape[String(key)];
  return child === undefined ? [] : knownKeys(child as z.ZodType, rest, valueAt(input, [key]));
}

function shapeOf(schema: z.ZodType, input: unknown): Readonly<Record<string, unknown>> {
  const { def } = schema as unknown as { def: SchemaDef };
  if (def.innerType !== undefined) return shapeOf(def.innerType, input);
  const options = def.options?.map((option) => shapeOf(option, input)) ?? [];
  return def.shape ?? options.find((shape) => isChosen(shape[def.discriminator ?? ''], input, def.discriminator)) ?? {};
}

function isChosen(literal: unknown, input: unknown, discriminator: string | undefined): boolean {
  const said = discriminator === undefined ? undefined : valueAt(input, [discriminator]);
  return literal !== undefined && (literal as z.ZodType).safeParse(said).success;
}

/** What is read of a zod schema: wrappers have an inner type, unions options, objects a shape. */
interface SchemaDef {
  readonly innerType?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly discriminator?: string;
  readonly shape?: Readonly<Record<string, unknown>>;
}
