import { InvalidArgumentError } from 'commander';
import { DURATION_FORM, parseDurationMs, parseSizeBytes, SIZE_FORM } from '../base/config/quantity.ts';
import {
  API_URL_FORM,
  isApiUrl,
  isHeaderValue,
  isKeyHeader,
  isOwnHeader,
  isPlainUrl,
  KEY_HEADER_FORM,
  PLAIN_URL_FORM,
} from '../base/http-header.ts';
import { isOneLine, ONE_LINE_FORM } from '../model/detail.ts';
import { FAILURE_LIMIT_FORM, parseFailureLimit } from '../model/failure-limit.ts';
import { MOST_ANSWER_BYTES, MOST_ANSWER_FORM } from '../model/limits.ts';
import { MAX_INDEX } from '../model/row.ts';
import type { Setting } from '../settings/setting.ts';
import { LEASE_TIMING, TIMING } from '../settings/timing.ts';

/** From the text of an option to its value; each value is checked by itself, and a refusal says what to give. */

/** Checks the text and makes the value; `before` is that of an earlier use of the same option. */
export type Parser = (text: string, before: never) => unknown;

/** Names of the timing settings that the hidden `--timing name=duration` may override. */
export const TIMINGS: readonly string[] = Object.keys({ ...TIMING, ...LEASE_TIMING }).map((path) => path.slice('timing.'.length));

/** Of the kinds of settings that are the same for all of them. What is not here has no flag, or is checked with other arguments. */
const PARSERS: Readonly<Partial<Record<Setting['kind'], Parser>>> = {
  text: toText,
  fraction: toRate,
  duration: toDuration,
  interval: toInterval,
  size: toSize,
  answerSize: toAnswerSize,
  failureLimit: toFailureLimit,
  urls: toUrls,
  variable: toVariableName,
  keyHeader: toKeyHeader,
};

/** More processes than one machine has use for: a mistyped number must not bring it to a halt. */
const MOST_WORKERS = 256;

export function toWorkers(text: string): number {
  return integerBetween(text, 1, MOST_WORKERS);
}

/** Checks the text of a flag that gives a setting; undefined where any text will do, or commander checks it. */
export function parserOf(setting: Setting): Parser | undefined {
  return setting.kind === 'count' ? (text) => integerBetween(text, setting.least, setting.most ?? MAX_INDEX) : PARSERS[setting.kind];
}

/** Stays text, as the settings have it. */
function toFailureLimit(text: string): string {
  if (parseFailureLimit(text) === null) throw new InvalidArgumentError(`give ${FAILURE_LIMIT_FORM}.`);
  return text;
}

export function toRate(text: string): number {
  const rate = Number(text);
  if (text.trim() === '' || !(rate >= 0 && rate <= 1)) throw new InvalidArgumentError('give a number from 0 to 1, such as 0.05.');
  return rate;
}

const MOST_PORT = 65_535;

export function toPort(text: string): number {
  return integerBetween(text, 0, MOST_PORT);
}

/** One line that others are shown. */
export function toReason(text: string): string {
  if (!isOneLine(text)) throw new InvalidArgumentError(`it ${ONE_LINE_FORM}.`);
  return text;
}

/** A duration stays text: the settings of the processes are written with units too. */
export function toDuration(text: string): string {
  if (parseDurationMs(text) === null) throw new InvalidArgumentError(`give ${DURATION_FORM}.`);
  return text;
}

/** As the setting: something is done, or ends, after it. */
export function toInterval(text: string): string {
  if (parseDurationMs(toDuration(text)) === 0) throw new InvalidArgumentError('it must be longer than 0.');
  return text;
}

function toText(text: string): string {
  if (text === '') throw new InvalidArgumentError('it must not be empty.');
  return text;
}

/** As with durations. */
export function toSize(text: string): string {
  if (parseSizeBytes(text) === null) throw new InvalidArgumentError(`give ${SIZE_FORM}.`);
  return text;
}

function toAnswerSize(text: string): string {
  const bytes = parseSizeBytes(toSize(text)) ?? 0;
  if (bytes < 1 || bytes > MOST_ANSWER_BYTES) throw new InvalidArgumentError(`it ${MOST_ANSWER_FORM}.`);
  return text;
}

/** Shows nothing of a refused value: it may hold a password. */
export function toUrls(text: string, before: readonly string[]): readonly string[] {
  if (!/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : '')) {
    throw new InvalidArgumentError('give an address such as http://127.0.0.1:8000 (with or without /v1).');
  }
  if (!isPlainUrl(text)) throw new InvalidArgumentError(`give ${PLAIN_URL_FORM}.`);
  if (!isApiUrl(text)) throw new InvalidArgumentError(`give ${API_URL_FORM}.`);
  return [...before, text];
}

/** Says nothing of the value in its error: a header may be a secret. */
export function toHeaders(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*)$/.exec(text);
  if (match === null) throw new InvalidArgumentError('give a header as "Name: value".');
  const [, name = '', value = ''] = match;
  if (isOwnHeader(name)) throw new InvalidArgumentError(`${name} is set by the client itself: leave it out.`);
  if (!isHeaderValue(value)) throw new InvalidArgumentError(`the value of ${name} holds characters that no header may hold.`);
  return { ...before, [name]: value };
}

export function toKeyHeader(text: string): string {
  if (!isKeyHeader(text)) throw new InvalidArgumentError(`it ${KEY_HEADER_FORM}.`);
  return text;
}

export function toTimings(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [name = '', value = ''] = text.split('=');
  if (!TIMINGS.includes(name)) throw new InvalidArgumentError(`give name=duration, the name one of ${TIMINGS.join(', ')}.`);
  return { ...before, [name]: toDuration(value) };
}

export function toVariableName(text: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) {
    throw new InvalidArgumentError('give the NAME of an environment variable that holds the key, never the key itself.');
  }
  return text;
}

function integerBetween(text: string, least: number, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) throw new InvalidArgumentError(`give a whole number from ${least} to ${most}.`);
  return value;
}
