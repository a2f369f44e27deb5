import type { Schema } from '../../api/schema.ts';
import { isBlock, own } from './block.ts';

/**
 * A copy of a value with its defaults, as the API server fills them in: where a field is absent, or null. Nothing is checked, and what is
 * of another type than the schema says stays as it is.
 */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => withDefaults(schema.items ?? {}, one));
  if (!isBlock(value)) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, { default: usual }] of Object.entries(schema.properties ?? {}))
    if (usual !== undefined) filled[name] = own(filled, name) ?? structuredClone(usual);
  for (const [name, one] of Object.entries(filled)) {
    const below = own(schema.properties, name) ?? schema.additionalProperties;
    if (below !== undefined) filled[name] = withDefaults(below, one);
  }
  return filled;
}
