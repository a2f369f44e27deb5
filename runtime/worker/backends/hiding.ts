import type { Hide } from './contract.ts';

/** Servers and proxies repeat keys in their error texts. What is taken over from them into messages passes through here. Pure. */

const HIDDEN = '[hidden]';
/** Shorter values are words such as `none`, which hide nothing and stand in many texts. */
const SHORTEST = 4;
/** A shorter value counts only where it stands by itself and in the same case: `EMPTY` is a usual key of a server that wants none. */
const SHORTEST_ANYWHERE = 8;
/** Parts of a header's value, such as `Bearer`, are hidden only where they are as long as keys are. */
const SHORTEST_PART = 8;

/** Of values of headers: a key with or without its scheme, credentials, cookies. */
export function hidingOf(values: readonly string[]): Hide {
  const parts = values.flatMap(partsOf).filter((part) => part.length >= SHORTEST_PART);
  const forms = new Set([...values.filter((value) => value.length >= SHORTEST), ...parts].flatMap(formsOf));
  const sorted = [...forms].toSorted((a, b) => b.length - a.length);
  const long = patternOf(sorted.filter((form) => form.length >= SHORTEST_ANYWHERE).map(escaped), 'gi');
  const short = patternOf(sorted.filter((form) => form.length < SHORTEST_ANYWHERE).map(standingAlone), 'g');
  return (text) => [long, short].reduce((hidden, pattern) => (pattern === null ? hidden : hidden.replace(pattern, HIDDEN)), text);
}

function partsOf(value: string): readonly string[] {
  const parts = value.split(/[\s;,]+/).flatMap((part) => [part, part.replace(/^[^=]+=(?=.)/, '')]);
  const basic = /^basic\s+(\S+)$/i.exec(value)?.[1];
  if (basic === undefined) return parts;
  const credentials = Buffer.from(basic, 'base64').toString('utf8');
  return [...parts, credentials, credentials.slice(credentials.indexOf(':') + 1)];
}

/** As it is written in JSON, in an address, and in a web page. */
function formsOf(value: string): readonly string[] {
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, inJson, inJson.replaceAll('/', '\\/'), encodeURIComponent(value), inPage(value)];
}

function inPage(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function patternOf(sources: readonly string[], flags: string): RegExp | null {
  return sources.length === 0 ? null : new RegExp(sources.join('|'), flags);
}

function standingAlone(form: string): string {
  return `(?<![A-Za-z0-9])${escaped(form)}(?![A-Za-z0-9])`;
}

function escaped(form: string): string {
  return form.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
