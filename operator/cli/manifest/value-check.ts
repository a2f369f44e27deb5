import type { Schema } from '../../api/schema.ts';
import { isBlock } from './block.ts';

/** What is wrong with a value by itself, whatever is below it; null where nothing is. Continues "`field` …". */
export function valueMistake(schema: Schema, value: unknown, path: readonly (string | number)[]): string | null {
  const wanted = wantedOf(schema);
  if (wanted === null) return null;
  if (value === null) return `is empty: give it ${wanted}, or remove it`;
  const shown = shownOf(value, path);
  if (!isOfType(schema, value)) return `must be ${wanted}${shown}${typeAdvice(schema, value)}`;
  if (!isInBounds(schema, value)) return `must be ${wanted}${shown}`;
  return sizeMistake(schema, value);
}

/** Of a field that has to be there and is not. */
export function absence(schema: Schema): string {
  const wanted = wantedOf(schema);
  return wanted === null ? 'is missing' : `is missing: give it ${wanted}`;
}

/** In words for people; null where any value will do. */
function wantedOf(schema: Schema): string | null {
  if (schema['x-kubernetes-int-or-string'] === true) return 'a whole number or a text';
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  switch (schema.type) {
    case 'integer':
      return numberWanted(schema);
    case 'boolean':
      return 'true or false';
    case 'string':
      return 'a text';
    case 'array':
      return 'a list';
    case 'object':
      return 'a block of fields';
    default:
      return null;
  }
}

function numberWanted({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return `a whole number from ${minimum} to ${maximum}`;
  return minimum === undefined ? 'a whole number' : `a whole number, at least ${minimum}`;
}

function isOfType(schema: Schema, value: unknown): boolean {
  if (schema['x-kubernetes-int-or-string'] === true) return typeof value === 'string' || Number.isInteger(value);
  switch (schema.type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isBlock(value);
    default:
      return schema.type === undefined || typeof value === schema.type;
  }
}

/** What YAML makes of a plain word is what people mostly get wrong. */
function typeAdvice({ type, ...schema }: Schema, value: unknown): string {
  const isText = type === 'string' || schema['x-kubernetes-int-or-string'] === true;
  if (isText && (typeof value === 'number' || typeof value === 'boolean')) return ': put it in quotes';
  if (type === 'integer' && typeof value === 'string' && /^-?\d+$/.test(value)) return ': take the quotes away';
  if (type === 'boolean' && typeof value === 'string') return ': write it without quotes';
  return '';
}

const MOST_INT32: number = 2 ** 31 - 1;

function isInBounds({ enum: words, minimum, maximum, format }: Schema, value: unknown): boolean {
  if (words !== undefined) return typeof value === 'string' && words.includes(value);
  if (typeof value !== 'number') return true;
  const most = Math.min(maximum ?? Number.POSITIVE_INFINITY, format === 'int32' ? MOST_INT32 : Number.POSITIVE_INFINITY);
  return value >= (minimum ?? Number.NEGATIVE_INFINITY) && value <= most;
}

function sizeMistake(schema: Schema, value: unknown): string | null {
  if (typeof value === 'string') return textMistake(schema, value);
  if (Array.isArray(value)) return tooMany(value.length, schema.maxItems, 'items');
  return isBlock(value) ? tooMany(Object.keys(value).length, schema.maxProperties, 'fields') : null;
}

function textMistake({ minLength = 0, maxLength, pattern }: Schema, text: string): string | null {
  const { length } = Array.from(text);
  if (length < minLength) return length === 0 ? 'must not be empty' : `must have at least ${minLength} characters, but has ${length}`;
  if (maxLength !== undefined && length > maxLength) return `must have at most ${maxLength} characters, but has ${length}`;
  if (pattern === undefined || new RegExp(pattern, 'u').test(text)) return null;
  return PATTERNS[pattern] ?? `must match ${pattern}`;
}

/** The patterns of the schema in words. */
const PATTERNS: Readonly<Record<string, string>> = {
  '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$':
    "must be the name of an object: lower-case letters, digits, '-' and '.', beginning and ending with a letter or digit",
  '^[-._a-zA-Z0-9]+$': "must be a key: letters, digits, '-', '_' and '.'",
  '^[0-9]+([.][0-9]+)?(Ki|Mi|Gi|Ti|Pi|Ei|n|u|m|k|M|G|T|P|E)?$': 'must be a quantity, such as 500m or 2Gi',
};

function tooMany(count: number, most: number | undefined, what: string): string | null {
  return most === undefined || count <= most ? null : `must have at most ${most} ${what}, but has ${count}`;
}

/** Values under such names may hold a password, and are not shown. */
const SECRET = /key|token|secret|password|url/i;
const MOST_SHOWN = 60;

function shownOf(value: unknown, path: readonly (string | number)[]): string {
  if (path.some((part) => typeof part === 'string' && SECRET.test(part))) return '';
  if (Array.isArray(value)) return ', but is a list';
  if (isBlock(value)) return ', but is a block of fields';
  const text = JSON.stringify(value);
  return `, but is ${text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text}`;
}
