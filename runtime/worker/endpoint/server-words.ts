import { isJsonObject, type JsonObject } from '../../base/json/json-object.ts';
import type { Hide } from '../backends/contract.ts';
import { errorIn } from './answer-shape.ts';

/** A server's message may be a whole page; its beginning says what is wrong. */
const LONGEST_WORDS = 500;
/** Of an answer that has no message of its own. */
const LONGEST_BEGINNING = 200;
/** What is looked at of a page. */
const LONGEST_PAGE = 20_000;
/** How deep an error may be wrapped: [{"error": {"errors": [{"message": …}]}}]. */
const MOST_WRAPS = 5;

/** Members that hold the message, the most telling first. */
const MESSAGE_MEMBERS: readonly string[] = [
  'message',
  'Message',
  'msg',
  'error_message',
  'error',
  'errors',
  'detail',
  'details',
  'error_description',
  'reason',
  'title',
];

/**
 * The server's own words about a failure, on one line; empty where it said nothing. `value` is its body as JSON, undefined for others.
 * Secrets are hidden before the text is shortened, so that no part of one is left at its end.
 */
export function serverWords(text: string, value: unknown, hide: Hide): string {
  const told = value === undefined ? '' : oneLine(hide(messageOf(value)));
  if (told !== '') return shortened(told, LONGEST_WORDS);
  return shortened(oneLine(hide(pageTitle(text) ?? text.slice(0, LONGEST_PAGE))), LONGEST_BEGINNING);
}

/** The error of a choice counts where the body itself names none. */
function messageOf(value: unknown): string {
  const told = messageIn(value, MOST_WRAPS);
  if (told !== '' || !isJsonObject(value)) return told;
  const error = errorIn(value);
  const inside = messageIn(error, MOST_WRAPS);
  return inside === '' && isJsonObject(error) && error['finish_reason'] === 'error' ? CHOICE_ENDED : inside;
}

const CHOICE_ENDED = 'a choice has ended with the finish_reason "error"';

export function isWebPage(contentType: string, text: string): boolean {
  return /^\s*(?:text\/html|application\/xhtml)/i.test(contentType) || /^\s*(?:<!doctype html|<html)/i.test(text);
}

function messageIn(value: unknown, wraps: number): string {
  if (typeof value === 'string') return value;
  if (wraps === 0) return '';
  if (Array.isArray(value)) {
    const found = value.slice(0, 3).map((one) => messageIn(one, wraps - 1));
    return found.filter((one) => one !== '').join('; ');
  }
  return isJsonObject(value) ? messageOfObject(value, wraps) : '';
}

function messageOfObject(value: JsonObject, wraps: number): string {
  for (const member of MESSAGE_MEMBERS) {
    const told = messageIn(value[member], wraps - 1);
    if (told !== '') return `${placeOf(value)}${told}`;
  }
  return '';
}

/** A validation error of FastAPI names the member: {"loc": ["body", "messages"], "msg": "field required"}. */
function placeOf({ loc }: JsonObject): string {
  return Array.isArray(loc) && loc.length > 0 ? `${loc.slice(0, 10).join('.')}: ` : '';
}

function pageTitle(text: string): string | null {
  const beginning = text.slice(0, LONGEST_PAGE);
  const title = /<title[^>]*>([^<]*)</i.exec(beginning)?.[1]?.trim() ?? '';
  if (title !== '') return title;
  if (!isWebPage('', beginning)) return null;
  return beginning.replace(/<(script|style)[\s\S]*?<\/\1>|<[^>]*>/gi, ' ');
}

/** Control characters would reach a terminal. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
