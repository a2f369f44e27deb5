export type End =
  | { readonly kind: 'completed' | 'paused' | 'interrupted' | 'fenced' }
  | { readonly kind: 'stalled' | 'results-full'; readonly reason: string };

/** How a coordinator's serving ends: the first end that comes decides, whatever comes after it. */
export interface FirstEnd {
  readonly promise: Promise<End>;
  readonly come: (end: End) => void;
  /** It cannot go on. */
  readonly fail: (cause: unknown) => void;
}

export function createEnd(): FirstEnd {
  let come: (end: End) => void = () => undefined;
  let fail: (cause: unknown) => void = () => undefined;
  const promise = new Promise<End>((resolve, reject) => {
    come = resolve;
    fail = reject;
  });
  // A failure after the end has come, or before anybody waits for it, is not unheard of.
  promise.catch(() => undefined);
  return { promise, come, fail };
}
