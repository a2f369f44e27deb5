/** Why, and since when, an endpoint is not used. */
export interface Outage {
  readonly sinceMs: number;
  /** How often it was tried since, in vain. */
  readonly tries: number;
  /** Why, in the server's own words where it has any. */
  readonly detail: string;
  /** It answers, and refuses every item: a wrong key or path, which waiting does not fix. */
  readonly isRefusing: boolean;
}

/** It is there, and has only refused for now (429, 503) since its last result. */
export interface Busy {
  /** The first of these refusals. */
  readonly sinceMs: number;
  readonly times: number;
  readonly detail: string;
}

export type Breaker =
  /** Not ready since the worker started. */
  | { readonly kind: 'unknown'; readonly outage: Outage }
  | { readonly kind: 'closed' }
  /** A readiness check is under way, or due after a gap. */
  | { readonly kind: 'open'; readonly outage: Outage }
  /** The endpoint says that it is ready; `probe` is the key of the item that tries it, null while there is none. */
  | { readonly kind: 'half-open'; readonly outage: Outage; readonly probe: string | null }
  /** The probe has failed, and a readiness check is under way. */
  | { readonly kind: 'confirming'; readonly outage: Outage };
