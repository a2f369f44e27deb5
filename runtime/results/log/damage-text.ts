import { RolloutError } from '../../base/errors.ts';
import { visible } from '../../base/printable.ts';
import type { ItemIndex } from '../../model/row.ts';
import type { Damage, SegmentDamage } from './damage.ts';
import type { SegmentProblem } from './segment-reader.ts';

/** What the input calls the items, as far as it is at hand. */
export type CustomIds = ReadonlyMap<ItemIndex, string>;

/** Describes damage for people: how many items, which ones, and in which files at which bytes. Pure. */
export function damageText({ lost, indexes, segments }: Damage, customIds: CustomIds = new Map()): readonly string[] {
  const rest = lost > indexes.length ? ` and ${lost - indexes.length} more` : '';
  return [
    `${lost} recorded outcome${lost === 1 ? ' is' : 's are'} damaged or gone:`,
    ...segments.map((one) => `  ${segmentText(one)}`),
    `  item index${lost === 1 ? '' : 'es'} (from 0): ${indexes.map((index) => itemText(index, customIds.get(index))).join(', ')}${rest}`,
  ];
}

/** The error of a command that needs every record. */
export function damaged(damage: Damage, undone: 'executed' | 'exported', customIds: CustomIds = new Map()): RolloutError {
  const ways = [
    `Nothing was ${undone}. To run exactly these items again, give the command of the run with --rerun-damaged; the damaged files are kept.`,
    'To have the intact results: rollout export --partial',
  ];
  return new RolloutError('RESULTS_DAMAGED', [...damageText(damage, customIds), ...ways].join('\n'));
}

/** An id may be of any length. */
const LONGEST_ID = 60;

function itemText(index: ItemIndex, customId: string | undefined): string {
  if (customId === undefined) return String(index);
  const shown = customId.length <= LONGEST_ID ? customId : `${customId.slice(0, LONGEST_ID)}…`;
  return `${index} (custom_id ${visible(JSON.stringify(shown))})`;
}

function segmentText({ path, accepted, left, end }: SegmentDamage): string {
  const count = `${left} of its ${accepted} outcomes are left`;
  if (end === null) return `${path} is missing; ${count}`;
  if (end.problem === null) return `${path} ends at byte ${end.segmentBytes}, before its last outcome; ${count}`;
  return `${path} cannot be read from byte ${end.offset} of ${end.segmentBytes} on: ${PROBLEM_TEXT[end.problem]}; ${count}`;
}

export const PROBLEM_TEXT: Readonly<Record<SegmentProblem, string>> = {
  torn: 'it is cut off',
  zeros: 'zeros follow',
  length: 'a length there is absurd',
  checksum: 'a checksum is wrong, the bytes were changed',
  epoch: 'bytes of another segment follow',
  kind: 'it was written by a newer version',
  'not-a-segment': 'it is no result segment',
  version: 'it was written by a newer version',
  elsewhere: 'it belongs to another run or has been renamed',
};
