import type { IncomingHttpHeaders } from 'node:http';

/** A server may ask for more; nobody waits longer than this without asking again. */
const MAX_RETRY_AFTER_MS = 300_000;
/** What a proxy answers instead of the API server is cited up to here. */
const MAX_CITED = 200;

/** The fields of a Kubernetes `Status` that anything here looks at. */
interface Status {
  readonly kind?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly code?: number;
  readonly details?: StatusDetails;
}

interface StatusDetails {
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}

/** The API server answered, and said no. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  /** The HTTP status, or the code of a `Status` within a watch. */
  readonly status: number;
  /** `Status.reason`, as 'NotFound' or 'Conflict'; '' where the answer had none. */
  readonly reason: string;
  /** How long the server asks to wait; null where it does not say. */
  readonly retryAfterMs: number | null;
  /** The reasons of `Status.details.causes`. */
  readonly causes: readonly string[];

  constructor(
    status: number,
    message: string,
    more: { readonly reason?: string; readonly retryAfterMs?: number | null; readonly causes?: readonly string[] } = {},
  ) {
    super(message);
    this.status = status;
    this.reason = more.reason ?? '';
    this.retryAfterMs = more.retryAfterMs ?? null;
    this.causes = more.causes ?? [];
  }
}

/** No answer, or half of one: nobody knows whether the call was carried out. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The error in a whole answer: a `Status`, or whatever stands between here and the API server has written. */
export function apiErrorOf(what: string, status: number, headers: IncomingHttpHeaders, body: string): ApiError {
  const said = statusOf(body);
  const message = said?.message ?? (body.trim() === '' ? `HTTP ${status}` : `HTTP ${status}: ${body.trim().slice(0, MAX_CITED)}`);
  return new ApiError(status, `${what}: ${message}`, {
    reason: said?.reason ?? '',
    retryAfterMs: secondsAsMs(headers['retry-after']) ?? secondsAsMs(said?.details?.retryAfterSeconds),
    causes: causesOf(said),
  });
}

/** The error in an event of a watch: its object is a `Status`. */
export function apiErrorOfStatus(what: string, object: unknown): ApiError {
  const said: Status = isObject(object) ? object : {};
  return new ApiError(said.code ?? 500, `${what}: ${said.message ?? 'an error without a message'}`, {
    reason: said.reason ?? '',
    retryAfterMs: secondsAsMs(said.details?.retryAfterSeconds),
    causes: causesOf(said),
  });
}

/** There is no such object. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}

/** Somebody else has changed the object, or has created it meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409;
}

export function isAlreadyThere(error: unknown): boolean {
  return error instanceof ApiError && error.reason === 'AlreadyExists';
}

/** The version that was asked for is older than what the server still knows. */
export function isExpired(error: unknown): boolean {
  return error instanceof ApiError && (error.status === 410 || error.reason === 'Expired' || error.reason === 'Gone');
}

/** The version that was asked for is newer than what the server knows: it was restored, or lags behind another one. */
export function isVersionTooLarge(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.causes.includes('ResourceVersionTooLarge') || /too large resource version/i.test(error.message);
}

function statusOf(body: string): Status | null {
  try {
    const parsed: unknown = JSON.parse(body);
    if (!isObject(parsed)) return null;
    const status: Status = parsed;
    return status.kind === 'Status' ? status : null;
  } catch {
    return null;
  }
}

function causesOf(said: Status | null): readonly string[] {
  return said?.details?.causes?.flatMap(({ reason }) => (reason === undefined ? [] : [reason])) ?? [];
}

/** The other form of the header, a date, is not one that the API server writes. */
function secondsAsMs(seconds: string | number | undefined): number | null {
  const value = typeof seconds === 'string' ? Number.parseInt(seconds, 10) : seconds;
  return value === undefined || !Number.isFinite(value) || value <= 0 ? null : Math.min(value * 1_000, MAX_RETRY_AFTER_MS);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
