import type { Epoch } from '../../model/row.ts';
import type { ResultsPlace } from './contract.ts';

export function segmentName(epoch: Epoch): string {
  return `${String(epoch).padStart(10, '0')}.seg`;
}

/** For people: where the segment of this epoch is, or should be. */
export function segmentPath({ name }: Pick<ResultsPlace, 'name'>, epoch: Epoch): string {
  return `${name}/${segmentName(epoch)}`;
}
