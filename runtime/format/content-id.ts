import { hash } from 'node:crypto';
import type { Item } from '../model/item.ts';

/** The content address of an item keeps so many bits of SHA-256: two of 2^40 items are equal by chance once in 10^14 runs. */
const CONTENT_ID_BITS = 128;

/** Content address of an item, 32 hexadecimal digits: equal in every run in which the item says the same. */
export function contentId(item: Item): string {
  const text = canonicalJson([item.customId, item.method, item.url, item.body]);
  return hash('sha256', text, 'hex').slice(0, CONTENT_ID_BITS / 4);
}

/**
 * JSON in one spelling: members sorted by the UTF-16 code units of their names, no white space, strings and numbers as ECMAScript
 * writes them. Source: RFC 8785, JSON Canonicalization Scheme, sections 3.2.2 and 3.2.3. Beyond it, since the input may hold them:
 * a number too large for a double is `Infinity`, and half a surrogate pair is written as its escape.
 * Depth of nesting is limited by memory alone.
 */
export function canonicalJson(value: unknown): string {
  const ordered = inOrder(value, MOST_LEVELS);
  return ordered === undefined ? anyCanonicalJson(value) : JSON.stringify(ordered);
}

/** Hardly any item goes deeper, and it is far from the end of the stack. */
const MOST_LEVELS = 100;
const DIGIT_NINE = 0x39;
/** So many names are sorted by insertion. */
const FEW = 16;

/**
 * The value with its members in order, for JSON.stringify, which writes everything else as it must be and is much faster than code.
 * Undefined where it would write something else: a number too large, a name that objects do not keep in the order in which members
 * are put in (digits), or that is no plain member; and where the nesting is too deep to call itself.
 */
function inOrder(value: unknown, levels: number): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return undefined;
  return Array.isArray(value) ? listInOrder(value, levels - 1) : membersInOrder(value as Readonly<Record<string, unknown>>, levels - 1);
}

function listInOrder(values: readonly unknown[], levels: number): unknown {
  // A copy of its size: one that grows takes room for seventeen values at its first.
  const list = values.slice();
  for (let at = 0; at < list.length; at++) {
    const ordered = inOrder(list[at], levels);
    if (ordered === undefined) return undefined;
    list[at] = ordered;
  }
  return list;
}

function membersInOrder(object: Readonly<Record<string, unknown>>, levels: number): unknown {
  const members: Record<string, unknown> = {};
  for (const name of sortedNames(object)) {
    const ordered = inOrder(object[name], levels);
    if (ordered === undefined || !(name.charCodeAt(0) > DIGIT_NINE) || name === '__proto__') return undefined;
    members[name] = ordered;
  }
  return members;
}

/** Array.prototype.sort makes copies of its own, which are most of the memory that a short item needs. */
function sortedNames(object: Readonly<Record<string, unknown>>): readonly string[] {
  const names = Object.keys(object);
  if (names.length > FEW) return names.sort();
  for (let to = 1; to < names.length; to++) {
    const name = names[to] as string;
    let at = to;
    for (; at > 0 && (names[at - 1] as string) > name; at--) names[at] = names[at - 1] as string;
    names[at] = name;
  }
  return names;
}

/** For every value there is; it keeps its own stack. */
function anyCanonicalJson(value: unknown): string {
  const out: string[] = [];
  const pending: Pending[] = [{ value }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if ('text' in next) out.push(next.text);
    else if (Array.isArray(next.value)) pushArray(pending, next.value);
    else if (typeof next.value === 'object' && next.value !== null) pushObject(pending, next.value as Readonly<Record<string, unknown>>);
    else out.push(typeof next.value === 'number' ? String(next.value) : JSON.stringify(next.value));
  }
  return out.join('');
}

type Pending = { readonly text: string } | { readonly value: unknown };

/** Pushed last to first: what is pushed last is written first. */
function pushArray(pending: Pending[], values: readonly unknown[]): void {
  pending.push({ text: ']' });
  for (let at = values.length - 1; at >= 0; at--) pending.push({ value: values[at] }, { text: at === 0 ? '' : ',' });
  pending.push({ text: '[' });
}

function pushObject(pending: Pending[], object: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(object).sort();
  pending.push({ text: '}' });
  for (let at = names.length - 1; at >= 0; at--) {
    const name = names[at] as string;
    pending.push({ value: object[name] }, { text: `${at === 0 ? '' : ','}${JSON.stringify(name)}:` });
  }
  pending.push({ text: '{' });
}
