import { Ajv, type ValidateFunction } from 'ajv';
import { parse } from 'yaml';
import { readText } from '../style/sources.ts';

/** A schema of the CustomResourceDefinition, as far as tests look at it. */
export interface CrdSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, CrdSchema>>;
  readonly additionalProperties?: CrdSchema | false;
  readonly items?: CrdSchema;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string; readonly message?: string; readonly fieldPath?: string }[];
}

interface Version {
  readonly name: string;
  readonly schema: { readonly openAPIV3Schema: CrdSchema };
  readonly additionalPrinterColumns: readonly { readonly name: string; readonly jsonPath: string; readonly priority?: number }[];
  readonly subresources: { readonly scale: Readonly<Record<string, string>> };
}

export interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: Readonly<Record<string, unknown>>;
    readonly versions: readonly [Version];
  };
}

export const CRD_PATH = 'crds/rolloutruns.yaml';

export function readCrd(): Crd {
  return parse(readText(CRD_PATH) ?? '') as Crd;
}

export function runSchema(crd: Crd): CrdSchema {
  return crd.spec.versions[0].schema.openAPIV3Schema;
}

/** The schema at a path such as `spec.workers.parallelism`. Throws where there is none. */
export function schemaAt(schema: CrdSchema, path: string): CrdSchema {
  let at: CrdSchema | undefined = schema;
  for (const name of path.split('.')) at = at?.properties?.[name];
  if (at === undefined) throw new Error(`the schema has no ${path}`);
  return at;
}

/** The schema and all below it, with their paths. */
export function* schemasIn(schema: CrdSchema, path = ''): Generator<readonly [path: string, schema: CrdSchema]> {
  yield [path, schema];
  for (const [name, one] of Object.entries(schema.properties ?? {})) yield* schemasIn(one, path === '' ? name : `${path}.${name}`);
  if (schema.items !== undefined) yield* schemasIn(schema.items, `${path}[]`);
  if (schema.additionalProperties) yield* schemasIn(schema.additionalProperties, `${path}{}`);
}

/**
 * What is checked before the rules (x-kubernetes-validations): types, bounds and names. It fills in defaults, as the API server does, and
 * refuses unknown names, as kubectl does.
 */
export function validatorOf(schema: CrdSchema): ValidateFunction {
  return new Ajv({ strict: false, allErrors: true, useDefaults: true, validateFormats: false }).compile(closed(schema));
}

function closed(schema: CrdSchema): CrdSchema {
  const properties = Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, one]) => [name, closed(one)]));
  const isOpen = schema.properties === undefined || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return {
    ...schema,
    ...(schema.properties === undefined ? {} : { properties: { ...properties, ...openMeta(schema) } }),
    ...(schema.items === undefined ? {} : { items: closed(schema.items) }),
    ...(isOpen || schema.additionalProperties !== undefined ? {} : { additionalProperties: false as const }),
  };
}

/** The schema says nothing of an object's own metadata, which Kubernetes itself checks. */
function openMeta({ properties }: CrdSchema): Readonly<Record<string, CrdSchema>> {
  return properties?.['apiVersion'] === undefined ? {} : { metadata: { type: 'object' } };
}
