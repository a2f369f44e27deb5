import type { Fenced } from '../../ledger/contract.ts';
import type { Epoch } from '../../model/row.ts';

export type End =
  | { readonly kind: 'completed' | 'paused' | 'interrupted' }
  | { readonly kind: 'stalled'; readonly reason: string }
  | { readonly kind: 'fenced'; readonly epoch: Epoch };

/** How a coordinator's serving ends: the first end that comes decides, whatever comes after it. */
export interface FirstEnd {
  readonly promise: Promise<End>;
  readonly come: (end: End) => void;
  readonly fence: (fenced: Fenced) => void;
  /** It cannot go on. */
  readonly fail: (cause: unknown) => void;
}

/** `onFenced` is told at once, even where another end came before. */
export function createEnd(onFenced: (fenced: Fenced) => void = () => undefined): FirstEnd {
  let come: (end: End) => void = () => undefined;
  let fail: (cause: unknown) => void = () => undefined;
  const promise = new Promise<End>((resolve, reject) => {
    come = resolve;
    fail = reject;
  });
  // A failure after the end has come, or before anybody waits for it, is not unheard of.
  promise.catch(() => undefined);
  const fence = (fenced: Fenced): void => {
    onFenced(fenced);
    come({ kind: 'fenced', epoch: fenced.epoch });
  };
  return { promise, come, fail, fence };
}
