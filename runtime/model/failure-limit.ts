/** How many items of a run may fail before it is stopped early: a number of items, or a share of all. Pure. */
export type FailureLimit = { readonly kind: 'items'; readonly items: number } | { readonly kind: 'share'; readonly percent: number };

export const FAILURE_LIMIT_FORM = 'a number of items, or a share of all of them such as 5%';

export function parseFailureLimit(text: string): FailureLimit | null {
  const [, digits = '', sign = ''] = /^(\d{1,10}(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits);
  if (digits === '') return null;
  if (sign === '%') return value <= 100 ? { kind: 'share', percent: value } : null;
  return Number.isInteger(value) ? { kind: 'items', items: value } : null;
}

/** Why the run is stopped; null while it may go on. A share is applied once the number of items is known. */
export function overLimit(limit: FailureLimit | null, failed: number, items: number | null): string | null {
  if (limit === null) return null;
  if (limit.kind === 'items') return failed > limit.items ? tooMany(failed, String(limit.items)) : null;
  return items !== null && failed * 100 > limit.percent * items ? tooMany(failed, `${limit.percent}% of ${items}`) : null;
}

/** Whether a text says that a run was stopped by its limit: what reads the words of a coordinator has nothing else. */
export function isOverLimit(text: string): boolean {
  return OVER_LIMIT.test(text);
}

const OVER_LIMIT = /\b\d+ items have failed, and \S.* may: /;

function tooMany(failed: number, allowed: string): string {
  return `${failed} items have failed, and ${allowed} may: look at their errors, then go on with a higher limit of failed items`;
}
