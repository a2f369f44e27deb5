import { nearest } from '../../../runtime/base/config/nearest.ts';
import type { Schema } from '../../api/schema.ts';
import { type Block, isBlock, own } from './block.ts';
import { RULE_CHECKS } from './rules.ts';
import { absence, valueMistake } from './value-check.ts';

/** Where a field stands: names of fields, and numbers within lists. */
export type FieldPath = readonly (string | number)[];

export interface Mistake {
  readonly path: FieldPath;
  /** What is wrong and what to do. Where it does not name a field itself, it continues "`field` …". */
  readonly problem: string;
}

/** What the API server would find wrong with a value that has its defaults, but for rules that it alone can check. */
export function schemaMistakes(schema: Schema, value: unknown, path: FieldPath = []): readonly Mistake[] {
  const wrong = valueMistake(schema, value, path);
  if (wrong !== null) return [{ path, problem: wrong }];
  return [...mistakesBelow(schema, value, path), ...brokenRules(schema, value, path)];
}

function mistakesBelow(schema: Schema, value: unknown, path: FieldPath): readonly Mistake[] {
  if (Array.isArray(value)) {
    const items = value.flatMap((one: unknown, at) => schemaMistakes(schema.items ?? {}, one, [...path, at]));
    return [...items, ...repeated(schema, value, path)];
  }
  return isBlock(value) ? blockMistakes(schema, value, path) : [];
}

function blockMistakes(schema: Schema, block: Block, path: FieldPath): readonly Mistake[] {
  const absent = (schema.required ?? []).filter((name) => own(block, name) === undefined);
  const fields = Object.entries(block).flatMap(([name, one]) => {
    if (one === undefined) return [];
    const below = own(schema.properties, name) ?? schema.additionalProperties;
    if (below !== undefined) return schemaMistakes(below, one, [...path, name]);
    return isOpen(schema) ? [] : [{ path: [...path, name], problem: unknownField(name, Object.keys(schema.properties ?? {})) }];
  });
  return [...absent.map((name) => ({ path: [...path, name], problem: absence(own(schema.properties, name) ?? {}) })), ...fields];
}

/** Where fields that the schema does not name are kept. */
function isOpen(schema: Schema): boolean {
  return schema.properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
}

function unknownField(name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? `is not known: remove it; known here are ${known.join(', ')}` : `is not known: did you mean \`${meant}\`?`;
}

/** A list whose items are told apart by some of their fields has each only once. */
function repeated(schema: Schema, items: readonly unknown[], path: FieldPath): readonly Mistake[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  if (schema['x-kubernetes-list-type'] !== 'map' || keys.length === 0) return [];
  const identities = items.map((item) => JSON.stringify(keys.map((key) => (isBlock(item) ? own(item, key) : undefined))));
  return identities.flatMap((identity, at) => {
    const first = identities.indexOf(identity);
    if (first === at) return [];
    return [{ path: [...path, at], problem: `has the same ${keys.join(' and ')} as item ${first + 1} of the list: rename or remove one` }];
  });
}

function brokenRules(schema: Schema, value: unknown, path: FieldPath): readonly Mistake[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap(({ rule, message, fieldPath }) => {
    const holds = own(RULE_CHECKS, rule);
    if (holds === undefined || holds(value)) return [];
    return [{ path: [...path, ...(fieldPath?.split('.').slice(1) ?? [])], problem: message }];
  });
}

/** `spec.workers.template.spec.containers[0].name`. */
export function fieldName(path: FieldPath): string {
  return path.map((part, at) => (typeof part === 'number' ? `[${part}]` : `${at === 0 ? '' : '.'}${part}`)).join('');
}

/** One mistake in a sentence. */
export function mistakeText({ path, problem }: Mistake): string {
  const namesField = !/^(?:must|is|has) /.test(problem);
  return namesField || path.length === 0 ? problem : `\`${fieldName(path)}\` ${problem}`;
}
