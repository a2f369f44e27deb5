/** What is read of a schema in a CustomResourceDefinition. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly 'x-kubernetes-int-or-string'?: boolean;
}

/**
 * The TypeScript of a schema and of all below it, one interface for each object with fields of its own; `name` is that of the first one,
 * and the names of the others begin with it. A field with a default is not optional: the API server fills it in. The schemas of
 * `foreign`, by the name that they would have, are types from elsewhere.
 */
export function typescriptOf(name: string, schema: Schema, foreign: Readonly<Record<string, string>>): string {
  const lines = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => [
    ...commentOf(one, '  '),
    `  readonly ${key}${isAlwaysThere(schema, key) ? '' : '?'}: ${typeOf(childName(name, key), one, foreign)};`,
  ]);
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => interfacesIn(childName(name, key), one, foreign));
  return [[...commentOf(schema, ''), `export interface ${name} {`, ...lines, '}', ''].join('\n'), ...below].join('\n');
}

/** The names of `foreign` that the schema has, so that a name that it does not have any more is noticed. */
export function namesIn(name: string, schema: Schema): readonly string[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([key, one]) => namesIn(childName(name, key), one));
  return [name, ...own, ...(schema.items === undefined ? [] : namesIn(`${name}Item`, schema.items))];
}

function interfacesIn(name: string, schema: Schema, foreign: Readonly<Record<string, string>>): readonly string[] {
  if (foreign[name] !== undefined) return [];
  if (schema.items !== undefined) return interfacesIn(`${name}Item`, schema.items, foreign);
  return schema.properties === undefined ? [] : [typescriptOf(name, schema, foreign)];
}

function typeOf(name: string, schema: Schema, foreign: Readonly<Record<string, string>>): string {
  const known = foreign[name];
  if (known !== undefined) return known;
  if (schema['x-kubernetes-int-or-string'] === true) return 'number | string';
  if (schema.enum !== undefined) return schema.enum.map((word) => `'${word}'`).join(' | ');
  if (schema.items !== undefined) return `readonly ${bracketed(typeOf(`${name}Item`, schema.items, foreign))}[]`;
  if (schema.properties !== undefined) return name;
  if (schema.additionalProperties !== undefined)
    return `Readonly<Record<string, ${typeOf(`${name}Value`, schema.additionalProperties, foreign)}>>`;
  return plainTypeOf(name, schema.type);
}

function plainTypeOf(name: string, type: string | undefined): string {
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'string' || type === 'boolean') return type;
  if (type === 'object') return 'Readonly<Record<string, unknown>>';
  throw new Error(`the schema of ${name} has no type that is known: ${type}`);
}

function bracketed(type: string): string {
  return type.includes(' | ') ? `(${type})` : type;
}

function isAlwaysThere(schema: Schema, key: string): boolean {
  return schema.required?.includes(key) === true || schema.properties?.[key]?.default !== undefined;
}

function childName(name: string, key: string): string {
  return `${name}${key.charAt(0).toUpperCase()}${key.slice(1)}`;
}

function commentOf({ description }: Schema, indent: string): readonly string[] {
  return description === undefined ? [] : [`${indent}/** ${description.replaceAll('*/', '*\\/')} */`];
}
