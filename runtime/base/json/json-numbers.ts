import { isJsonObject } from './json-object.ts';

/**
 * JSON values whose numbers keep their text: 9223372036854775807 and 1.0 are not what JSON.stringify makes of them. Pure. Node 20 has
 * neither JSON.rawJSON nor the source text of a reviver.
 */

/** A number that JSON.stringify would write with other characters. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** May be inside a string; then the value is the same, and only took longer. */
const PERHAPS_NUMBER = /(?<=[[:,\s]|^)-?\d[\d.eE+-]*/g;

/** As JSON.parse, with a NumberText for each number that needs one. */
export function parseNumbers(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.match(PERHAPS_NUMBER)?.every(isPlain) === false ? unmarked(JSON.parse(marked(text))) : value;
}

/** The JSON of what parseNumbers answers, and of what is made from it. */
export function numbersText(value: unknown): string {
  if (value instanceof NumberText) return value.text;
  if (Array.isArray(value)) return `[${value.map(numbersText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${numbersText(member)}`).join(',')}}`;
}

function isPlain(number: string): boolean {
  return String(Number(number)) === number;
}

/** Every string begins with an `s`, and a number that needs its text is a string that begins with an `n`. */
function marked(text: string): string {
  let isInString = false;
  return text.replace(/\\.|"|-?\d[\d.eE+-]*/gs, (token) => {
    if (token === '"') {
      isInString = !isInString;
      return isInString ? '"s' : '"';
    }
    return isInString || isPlain(token) ? token : `"n${token}"`;
  });
}

function unmarked(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('n') ? new NumberText(value.slice(1)) : value.slice(1);
  if (Array.isArray(value)) return value.map(unmarked);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name.slice(1), unmarked(member)])) : value;
}
