/**
 * What users want to know about results: answers that ended at the token limit, and answers without a text.
 * Found by a search of the lines' bytes. A quote inside a string is written as \", so `"finish_reason":` is never found in a text.
 */
export interface AnswerNotes {
  /** `finish_reason` is `length`, or a response is incomplete since `max_output_tokens` was reached. */
  readonly atTokenLimit: number;
  /** The text is empty, and no tool is called. */
  readonly emptyText: number;
}

export const NO_NOTES: AnswerNotes = { atTokenLimit: 0, emptyText: 0 };

/** Every line of which something is to be noted has one of these; hardly any other line does. */
const NOTABLE: RegExp = /"(?:finish_reason|reason|content|text)"[ \t]*:[ \t]*"(?:"|length"|max_output_tokens")/g;
const LINE_FEED = '\n';

/** `lines`: output lines with results, each with its end. Many are searched at once, and only the notable ones are looked at. */
export function withNotesOf(notes: AnswerNotes, lines: Buffer): AnswerNotes {
  // One character for each byte: what is searched for is ASCII, and a string is searched faster than a buffer.
  const text = lines.toString('latin1');
  let sum = notes;
  NOTABLE.lastIndex = 0;
  for (let found = NOTABLE.exec(text); found !== null; found = NOTABLE.exec(text)) {
    const end = lineEnd(text, found.index);
    sum = withNotesOfLine(sum, text.slice(text.lastIndexOf(LINE_FEED, found.index) + 1, end));
    NOTABLE.lastIndex = end;
  }
  return sum;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf(LINE_FEED, from);
  return end < 0 ? text.length : end;
}

function withNotesOfLine({ atTokenLimit, emptyText }: AnswerNotes, line: string): AnswerNotes {
  const isAtLimit = hasMember(line, 'finish_reason', '"length"') || hasMember(line, 'reason', '"max_output_tokens"');
  const isEmpty = (hasMember(line, 'content', '""') || hasMember(line, 'text', '""')) && !callsTool(line);
  return { atTokenLimit: atTokenLimit + Number(isAtLimit), emptyText: emptyText + Number(isEmpty) };
}

function callsTool(text: string): boolean {
  return hasMember(text, 'tool_calls', '[{') || hasMember(text, 'function_call', '{') || hasMember(text, 'type', '"function_call"');
}

/** Whether a member of this name has a value that begins so. */
function hasMember(text: string, name: string, value: string): boolean {
  if (!text.includes(value)) return false;
  const key = `"${name}"`;
  for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
    const colon = skipSpace(text, at + key.length);
    if (text[colon] === ':' && text.startsWith(value, skipSpace(text, colon + 1))) return true;
  }
  return false;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at;
}
