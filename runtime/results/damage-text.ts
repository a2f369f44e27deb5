import { RolloutError } from '../base/errors.ts';
import type { Damage, SegmentDamage } from './damage.ts';
import type { SegmentProblem } from './segment-reader.ts';

/** Describes damage for people: how many items, which ones, and in which files at which bytes. Pure. */
export function damageText({ lost, indexes, segments }: Damage): readonly string[] {
  const rest = lost > indexes.length ? ` and ${lost - indexes.length} more` : '';
  return [
    `${lost} recorded outcome${lost === 1 ? ' is' : 's are'} damaged or gone:`,
    ...segments.map((one) => `  ${segmentText(one)}`),
    `  item index${lost === 1 ? '' : 'es'} (from 0): ${indexes.join(', ')}${rest}`,
  ];
}

/** The error of a command that needs every record. */
export function damaged(damage: Damage, undone: 'executed' | 'exported'): RolloutError {
  const ways = [
    `Nothing was ${undone}. To run exactly these items again, give the command of the run with --rerun-damaged; the damaged files are kept.`,
    'To have the intact results: rollout export --partial',
  ];
  return new RolloutError('RESULTS_DAMAGED', [...damageText(damage), ...ways].join('\n'));
}

function segmentText({ path, accepted, left, end }: SegmentDamage): string {
  const count = `${left} of its ${accepted} outcomes are left`;
  if (end === null) return `${path} is missing; ${count}`;
  if (end.problem === null) return `${path} ends at byte ${end.fileBytes}, before its last outcome; ${count}`;
  return `${path} cannot be read from byte ${end.offset} of ${end.fileBytes} on: ${PROBLEM_TEXT[end.problem]}; ${count}`;
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
