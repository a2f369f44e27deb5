/** How what this command asks for differs from the run that is there. */
export interface Comparison {
  readonly input: 'same' | 'grown' | 'different';
  /** What the settings say of the items of one and the same input. */
  readonly items: 'same' | 'more' | 'different';
  /** Does anything else that shapes results differ, such as the model? */
  readonly hasOtherModel: boolean;
  /** Something is recorded, or finished and kept by a worker, or may still be finished by one. */
  readonly hasResults: boolean;
  /** Lines of the old list that have been handed out. */
  readonly handedOut: number;
  /** The index has an entry of each of them, to compare the lines that are there now with. */
  readonly isProvable: boolean;
}

/** What --extend and --force permit. */
export interface Permissions {
  readonly extend: boolean;
  readonly force: boolean;
}

export type IdentityVerdict =
  /** `isOtherList`: nothing of the old list was handed out, and its index is of no use any more. */
  | { readonly kind: 'go-on'; readonly isOtherList: boolean }
  /** The index has to prove that the old lines are there, and names the first that is not. */
  | { readonly kind: 'extend' }
  | { readonly kind: 'refuse'; readonly why: Refusal };

/** `model`: the list is the same; `grown`, `raised` (only the limit): --extend would do; `handed-out`: not even --force may mix two lists. */
export type Refusal = 'differs' | 'model' | 'grown' | 'raised' | 'handed-out';

/** Whether this command goes on with the run that is there. Two lists are never mixed: results belong to lines by their number. */
export function identityVerdict(compared: Comparison, { extend, force }: Permissions): IdentityVerdict {
  const { input, items, handedOut, isProvable } = compared;
  // Without a result no two models are mixed.
  const mixesModels = compared.hasOtherModel && compared.hasResults && !force;
  if (input === 'same' && items === 'same') return mixesModels ? { kind: 'refuse', why: 'model' } : { kind: 'go-on', isOtherList: false };
  if (extend && isProvable && items !== 'different' && !mixesModels) return { kind: 'extend' };
  if (force && handedOut === 0) return { kind: 'go-on', isOtherList: true };
  if (force) return { kind: 'refuse', why: 'handed-out' };
  const isLonger = input !== 'different' && items !== 'different';
  if (!isLonger || extend) return { kind: 'refuse', why: 'differs' };
  return { kind: 'refuse', why: input === 'same' ? 'raised' : 'grown' };
}
