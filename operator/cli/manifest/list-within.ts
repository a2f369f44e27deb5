import { isBlock, own, valueAt } from './block.ts';
import type { Manifest } from './documents.ts';

/** The list of a run that stands in the same file. */
export type ListWithin =
  | { readonly kind: 'found'; readonly bytes: Buffer; readonly manifest: Manifest; readonly path: readonly string[] }
  | { readonly kind: 'no-key'; readonly keys: readonly string[] };

const KEY = 'items.jsonl';

/** Null where the run has no ConfigMap for its input, or the file does not have it. */
export function listWithin(run: Manifest, all: readonly Manifest[]): ListWithin | null {
  const name = valueAt(run.value, 'spec.input.configMap.name');
  const key = valueAt(run.value, 'spec.input.configMap.key') ?? KEY;
  if (typeof name !== 'string' || typeof key !== 'string') return null;
  const namespace = valueAt(run.value, 'metadata.namespace');
  const manifest = all.find(
    ({ value }) =>
      value['kind'] === 'ConfigMap' && valueAt(value, 'metadata.name') === name && valueAt(value, 'metadata.namespace') === namespace,
  );
  if (manifest === undefined) return null;
  const [plain, binary] = ['data', 'binaryData'].map((field) => ofKey(manifest, field, key));
  if (plain !== undefined) return { kind: 'found', bytes: Buffer.from(plain, 'utf8'), manifest, path: ['data', key] };
  if (binary !== undefined) return { kind: 'found', bytes: Buffer.from(binary, 'base64'), manifest, path: ['binaryData', key] };
  return { kind: 'no-key', keys: ['data', 'binaryData'].flatMap((field) => Object.keys(blockOf(manifest, field))) };
}

function ofKey(manifest: Manifest, field: string, key: string): string | undefined {
  const found = own(blockOf(manifest, field), key);
  return typeof found === 'string' ? found : undefined;
}

function blockOf({ value }: Manifest, field: string): Readonly<Record<string, unknown>> {
  const found = value[field];
  return isBlock(found) ? found : {};
}
