import { counted } from '../base/config/quantity.ts';
import type { ItemForm } from '../model/session.ts';

/** A list of lines that have no result: how many are in it, and how many are left out since they are no items. */
export interface RemainingCount {
  readonly lines: number;
  readonly notItems: number;
}

/** What is said of it. Pure. */
export function remainingText({ lines, notItems }: RemainingCount, form: ItemForm): readonly string[] {
  const [no, they] = notItems === 1 ? ['no item', 'it'] : ['no items', 'they'];
  return [
    `${counted(lines, 'line')} for another run`,
    ...(notItems === 0 ? [] : [`${counted(notItems, 'line')} left out: ${no}, ${they} would fail again`]),
    ...(form === 'raw' && lines > 0 ? ['Their custom_ids are the numbers of their lines, which are others in this list.'] : []),
  ];
}
