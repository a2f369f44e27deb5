/** What a mapping of YAML becomes. */
export type Block = Readonly<Record<string, unknown>>;

export function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a record has under the name, and not what all objects have, such as `constructor`. */
export function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The value at a path such as `workers.template.spec`; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  let at: unknown = value;
  for (const name of path.split('.')) at = isBlock(at) ? own(at, name) : undefined;
  return at;
}

/** As CEL's `has`: the field is there. One that is null is as good as absent. */
export function has(value: unknown, path: string): boolean {
  const found = valueAt(value, path);
  return found !== undefined && found !== null;
}
