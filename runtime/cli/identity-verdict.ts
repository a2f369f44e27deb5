/** How what this command asks for differs from the run that is there. */
export interface Comparison {
  readonly input: 'same' | 'grown' | 'different';
  /** What the settings say of the items of one and the same input. */
  readonly items: 'same' | 'more' | 'different';
  /** Does anything else that shapes results differ, such as the model? */
  readonly hasOtherModel: boolean;
  /** Lines of the old list that have been handed out. */
  readonly handedOut: number;
}

/** What --extend and --force permit. */
export interface Permissions {
  readonly extend: boolean;
  readonly force: boolean;
}

export type IdentityVerdict =
  /** `isOtherList`: nothing of the old list was handed out, and its index is of no use any more. */
  | { readonly kind: 'go-on'; readonly isOtherList: boolean }
  /** The old lines are there, as far as can be told yet, and new ones behind them. */
  | { readonly kind: 'extend' }
  | { readonly kind: 'refuse'; readonly why: Refusal };

/** `grown`: --extend would do; `handed-out`: not even --force may mix two lists. */
export type Refusal = 'differs' | 'grown' | 'handed-out';

/** Whether this command goes on with the run that is there. Two lists are never mixed: results belong to lines by their number. */
export function identityVerdict({ input, items, hasOtherModel, handedOut }: Comparison, { extend, force }: Permissions): IdentityVerdict {
  const isSameList = input === 'same' && items === 'same';
  const isLonger = !isSameList && input !== 'different' && items !== 'different';
  if (isSameList) return hasOtherModel && !force ? { kind: 'refuse', why: 'differs' } : { kind: 'go-on', isOtherList: false };
  if (isLonger && extend && (!hasOtherModel || force)) return { kind: 'extend' };
  if (force && handedOut === 0) return { kind: 'go-on', isOtherList: true };
  if (force) return { kind: 'refuse', why: 'handed-out' };
  return { kind: 'refuse', why: isLonger && !extend ? 'grown' : 'differs' };
}
