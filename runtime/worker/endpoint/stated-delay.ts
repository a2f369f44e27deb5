/** A server may ask for hours. An item is tried again sooner, since the answer may be a mistake, or meant for one moment. */
export const MAX_DELAY_MS: number = 15 * 60_000;
/** Beyond a day it is a mistake, and says nothing. */
export const MAX_STATED_MS: number = 24 * 3_600_000;

/** RFC 9110, 5.6.7: each of the three forms of a date begins with the day. `Date.parse` alone takes nearly everything for a date. */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * What the server asked for, in milliseconds; 0 where it did not say, or nothing sensible. `retry-after-ms` is OpenAI's own; Retry-After
 * (RFC 9110, 10.2.3) is whole seconds, or a date, which is compared with the same answer's Date, since the clocks of two machines differ.
 * `wallMs`: the clock here, for an answer without a Date.
 */
export function statedDelayMs(headers: Readonly<Record<string, string>>, wallMs: number): number {
  const after = headers['retry-after']?.trim() ?? '';
  const dateMs = momentOf(headers['date']);
  const untilMs = momentOf(after) - (Number.isNaN(dateMs) ? wallMs : dateMs);
  const stated = [numberIn(headers['retry-after-ms'], /^\d+(?:\.\d+)?$/), numberIn(after, /^\d+$/) * 1_000, untilMs];
  const ms = stated.find((one) => one <= MAX_STATED_MS) ?? 0;
  return Math.round(Math.min(MAX_DELAY_MS, Math.max(0, ms)));
}

function numberIn(text: string | undefined, form: RegExp): number {
  const trimmed = text?.trim() ?? '';
  return form.test(trimmed) ? Number(trimmed) : Number.NaN;
}

/** NaN where it is no date. The oldest form does not name its zone, which is GMT. */
function momentOf(text: string | undefined): number {
  const trimmed = text?.trim() ?? '';
  if (!DATE.test(trimmed)) return Number.NaN;
  return Date.parse(trimmed.endsWith('GMT') ? trimmed : `${trimmed} GMT`);
}
