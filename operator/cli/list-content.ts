import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { formatSize } from '../../runtime/base/config/quantity.ts';
import { RolloutError } from '../../runtime/base/errors.ts';

/** A list as a ConfigMap can hold it. */
export type ListContent = { readonly text: string } | { readonly packed: Buffer };

/** A ConfigMap may have 1 MiB, and its metadata is part of it. */
const MOST_CONTENT_BYTES: number = 900 * 1024;
/** No list of so many bytes is packed into a ConfigMap. */
export const MOST_LIST_BYTES: number = 64 * 2 ** 20;

const pack = promisify(gzip);

/** As text where that fits, else as gzip, which a run unpacks. Throws USAGE where neither fits, and says where such a list belongs. */
export async function listContent(bytes: Buffer, file: string): Promise<ListContent> {
  if (bytes.length <= MOST_CONTENT_BYTES) return isUtf8(bytes) ? { text: bytes.toString('utf8') } : { packed: bytes };
  const packed = await pack(bytes);
  if (packed.length <= MOST_CONTENT_BYTES) return { packed };
  throw new RolloutError('USAGE', `${file} ${tooLarge(`has ${formatSize(bytes.length)}, and ${formatSize(packed.length)} as gzip`)}`);
}

export function tooLarge(size: string): string {
  return [
    `${size}, and a ConfigMap holds ${formatSize(MOST_CONTENT_BYTES)}: put it on a volume and name it in a manifest by`,
    '`spec.input.pvc: {claimName, path}`, or behind an HTTP address by `spec.input.uri: {url, sha256}` (`sha256sum` prints the digest);',
    'then give the manifest with --from-run-file and leave -f out',
  ].join(' ');
}
