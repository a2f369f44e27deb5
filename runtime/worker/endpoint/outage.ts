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
  /** If it is asked nothing until then, it is not because of these refusals. */
  readonly againByMs: number;
}

/** Names an execution: the same value in all that is told of it. */
export type ExecutionKey = NonNullable<unknown>;

export type Breaker =
  /** Not ready since the worker started. */
  | { readonly kind: 'unknown'; readonly outage: Outage }
  | { readonly kind: 'closed' }
  /** A readiness check is under way, or due after a gap. */
  | { readonly kind: 'open'; readonly outage: Outage }
  /** The endpoint says that it is ready; `probe` is the execution that tries it, null while there is none. */
  | { readonly kind: 'half-open'; readonly outage: Outage; readonly probe: ExecutionKey | null }
  /** The probe has failed, or items were refused (`isRefusal`), and a readiness check or the known-good request is under way. */
  | { readonly kind: 'confirming'; readonly isRefusal: boolean; readonly outage: Outage };

/** A failure that may be the endpoint's fault. */
export interface EndpointFailure {
  /** A refusal of the endpoint: a key, a path or an account that is wrong would explain it. */
  readonly isRefusal: boolean;
  /** No further tries are needed to know that it is not the item's fault (a quota that is used up). */
  readonly isCertain: boolean;
  readonly isTimeout: boolean;
  readonly detail: string;
}
