import type { ConditionType } from './names.ts';
import type { RunStatusConditionsItem } from './types.gen.ts';

export type Condition = RunStatusConditionsItem;
export type ConditionStatus = Condition['status'];

/** What is seen now; `setCondition` adds since when. */
export interface Observed {
  readonly type: ConditionType;
  readonly status: ConditionStatus;
  /** One word for programs, of REASON. */
  readonly reason: string;
  /** For people; cut where it is longer than the schema allows. */
  readonly message: string;
}

/** `maxLength` of a message in the schema. */
const MOST_MESSAGE_CHARACTERS = 2_048;

/**
 * The conditions with what is observed in the place of the one of its type, or at the end. `lastTransitionTime` moves only where the status
 * differs. The very same list comes back where nothing differs, so that a caller sees whether there is anything to write.
 *
 * @param generation of the spec that was observed
 * @param now as RFC 3339 with whole seconds
 */
export function setCondition(conditions: readonly Condition[], observed: Observed, generation: number, now: string): readonly Condition[] {
  const before = conditionOf(conditions, observed.type);
  const lastTransitionTime = before?.status === observed.status ? before.lastTransitionTime : now;
  const message = cut(observed.message);
  const after: Condition = { ...observed, message, observedGeneration: generation, lastTransitionTime };
  if (before === undefined) return [...conditions, after];
  return isSame(before, after) ? conditions : conditions.map((one) => (one === before ? after : one));
}

export function conditionOf(conditions: readonly Condition[], type: ConditionType): Condition | undefined {
  return conditions.find((one) => one.type === type);
}

/** Whether the condition is known to hold: neither False, nor Unknown, nor absent. */
export function isTrue(conditions: readonly Condition[], type: ConditionType): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

function isSame(before: Condition, after: Condition): boolean {
  return (
    before.status === after.status &&
    before.reason === after.reason &&
    before.message === after.message &&
    before.observedGeneration === after.observedGeneration
  );
}

function cut(message: string): string {
  return message.length <= MOST_MESSAGE_CHARACTERS ? message : `${message.slice(0, MOST_MESSAGE_CHARACTERS - 1)}…`;
}
