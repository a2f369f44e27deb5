import { fileURLToPath } from 'node:url';
import { readTextIfThere } from '../fs/text-file.ts';

const FILE = 'package.json';

/** The version in the nearest package.json above the file `from` (an import.meta.url): that of the product, from the sources and built. */
export async function ownVersion(from: string): Promise<string> {
  for (let dir = new URL('.', from); ; dir = new URL('..', dir)) {
    const text = await readTextIfThere(fileURLToPath(new URL(FILE, dir)));
    if (text !== null) return (JSON.parse(text) as { readonly version: string }).version;
    if (dir.pathname === '/') throw new Error(`no ${FILE} stands above ${from}`);
  }
}
