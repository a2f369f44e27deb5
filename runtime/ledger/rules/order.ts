import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Stamp } from '../../model/row.ts';

/**
 * Where a numbered request stands among those of its caller (L38). A store that is a server may carry a request out late, or twice: one
 * that is repeated is answered as before, and one that a later request has overtaken changes nothing. Nobody waits for the latter's
 * answer, since the caller sends the next request only when the fate of this one is known.
 */
export type Order = 'new' | 'repeated' | 'overtaken';

export function orderOf(last: Stamp | null, { epoch, serial }: Stamp): Order {
  assert(isU32(serial), 'a serial fits in 32 bits');
  if (last === null || last.epoch < epoch) return 'new';
  assert(last.epoch === epoch, 'a stamp is of no later epoch than the ledger');
  if (last.serial === serial) return 'repeated';
  return last.serial < serial ? 'new' : 'overtaken';
}

export const OVERTAKEN = { kind: 'overtaken' } as const;
