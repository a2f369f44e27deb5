import { isJsonObject } from '../../base/json/json-object.ts';
import type { ItemForm } from '../../model/session.ts';
import { byAdvice, byCommand, encodingProblem, type FormProblem, type Head } from './file-encoding.ts';

/**
 * Why a file as a whole is not a list of lines; null if it may be one. Only certain cases are reported here, in one message and before
 * anything is executed; a bad line gets an error of its own.
 */
export function formProblem(head: Head, form: ItemForm): FormProblem | null {
  const text = textOf(head, form);
  return encodingProblem(head) ?? (isBinary(text) ? NO_TEXT : textProblem(text));
}

interface Text {
  readonly form: ItemForm;
  /** Without a byte order mark. */
  readonly text: string;
  readonly isWhole: boolean;
  /** The lines that are there to their ends, without white space around them; no blank ones. */
  readonly lines: readonly string[];
}

function textOf({ bytes, isWhole }: Head, form: ItemForm): Text {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  const all = text.split('\n');
  const lines = (isWhole ? all : all.slice(0, -1)).map((line) => line.trim()).filter((line) => line !== '');
  return { form, text, isWhole, lines };
}

function textProblem(text: Text): FormProblem | null {
  if (isList(text)) return byCommand('is one JSON list, and the input is one JSON object per line', "jq -c '.[]' {}");
  if (isSpread(text)) return byCommand('is JSON that goes over several lines, and the input is one JSON object per line', 'jq -c . {}');
  if (hasCarriageReturns(text)) return byCommand('has a carriage return at the end of each line, and no line feed', "tr '\\r' '\\n' < {}");
  if (isTable(text)) return byAdvice('is a table (CSV), and the input is one JSON object per line', EXAMPLE);
  return null;
}

const EXAMPLE =
  'write each row as {"custom_id": "1", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": […]}} on a line of its own';

const NO_TEXT = byAdvice('is no text', 'the input is one JSON object per line: look whether it is the list');

/** NUL bytes, and nothing of JSON in as much as tells a list with bad lines from another kind of file. */
function isBinary({ text, isWhole, lines }: Text): boolean {
  return !isWhole && text.includes('\0') && !/^\s*[{["]/.test(text) && !lines.some((line) => parsed(line) !== undefined);
}

/** `[` and what follows, as one value: not a list on a line of its own among others, which is a bad line, or a plain item. */
function isList({ form, text, isWhole, lines }: Text): boolean {
  if (!/^\s*\[\s*(?:\{|\n|$)/.test(text)) return false;
  const [first, ...others] = lines;
  if (first === undefined) return !isWhole && form === 'batch';
  const whole = isWhole ? parsed(text) : undefined;
  if (Array.isArray(whole)) return (others.length > 0 || form === 'batch') && whole.some(isJsonObject);
  return parsed(first) === undefined && others.length > 0 && !others.some((line) => isJsonObject(parsed(line)));
}

/** A member of an object that a line before it has opened. */
const MEMBER = /^"(?:[^"\\]|\\.)*"\s*:/;

/** An object that was printed over several lines, or several of them. */
function isSpread({ text, isWhole, lines }: Text): boolean {
  const [first, second] = lines;
  if (first === undefined || second === undefined || !first.startsWith('{') || parsed(first) !== undefined) return false;
  return MEMBER.test(second) || (isWhole && parsed(text) !== undefined);
}

function hasCarriageReturns({ text }: Text): boolean {
  const [first = '', second] = text.split('\r', 2);
  return second !== undefined && /\S/.test(second) && !text.includes('\n') && isJsonObject(parsed(first));
}

/** Enough rows to tell a table from a list with bad lines. */
const TABLE_ROWS = 20;
const NAME = /^"?[A-Za-z_][\w .-]*"?$/;

/** The names of columns, and rows of about as many fields; nothing that is JSON. */
function isTable({ lines }: Text): boolean {
  const [names = '', ...rows] = lines.slice(0, TABLE_ROWS);
  const separator = [',', '\t', ';'].find((one) => names.includes(one));
  if (separator === undefined || rows.length === 0 || parsed(names) !== undefined) return false;
  const isHeader = names.split(separator).every((name) => NAME.test(name.trim()));
  return isHeader && rows.every((row) => row.includes(separator) && !/^[{[]/.test(row));
}

/** Undefined where the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
