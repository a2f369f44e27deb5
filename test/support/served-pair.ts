import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServedPair } from '../../operator/kube/endpoint.ts';

/** As a Secret of type kubernetes.io/tls is mounted; each file is whole at every moment. */
export function writePair(dir: string, { cert, key }: ServedPair): void {
  for (const [name, text] of Object.entries({ 'tls.crt': cert, 'tls.key': key })) {
    writeFileSync(join(dir, 'unfinished'), text);
    renameSync(join(dir, 'unfinished'), join(dir, name));
  }
}
