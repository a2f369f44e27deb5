/** A server may ask for any delay; beyond a day it is a mistake, and the field on the wire has 32 bits. */
export const MAX_DELAY_MS: number = 24 * 3_600_000;

/**
 * What the server asked for, in milliseconds; 0 where it did not say. `retry-after-ms` is OpenAI's own; Retry-After (RFC 9110, 10.2.3)
 * is seconds, or a date, which is compared with the same answer's Date, since the clocks of two machines differ.
 */
export function statedDelayMs(headers: Readonly<Record<string, string>>): number {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) return bounded(ms);
  const stated = headers['retry-after'];
  if (stated === undefined) return 0;
  const seconds = Number(stated);
  if (Number.isFinite(seconds)) return bounded(seconds * 1_000);
  return bounded(Date.parse(stated) - Date.parse(headers['date'] ?? ''));
}

function bounded(ms: number): number {
  return Number.isFinite(ms) ? Math.round(Math.min(MAX_DELAY_MS, Math.max(0, ms))) : 0;
}
