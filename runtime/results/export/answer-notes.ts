/**
 * What users want to know about results: answers that ended at the token limit, and answers without a text.
 * Found by a search of the line's bytes. A quote inside a string is written as \", so `"finish_reason":` is never found in a text.
 */
export interface AnswerNotes {
  /** `finish_reason` is `length`, or a response is incomplete since `max_output_tokens` was reached. */
  readonly atTokenLimit: number;
  /** The text is empty, and no tool is called. */
  readonly emptyText: number;
}

export const NO_NOTES: AnswerNotes = { atTokenLimit: 0, emptyText: 0 };

/** `line`: an output line with a result. */
export function withNotesOf({ atTokenLimit, emptyText }: AnswerNotes, line: Uint8Array): AnswerNotes {
  // One character for each byte: what is searched for is ASCII, and a string is searched faster than a buffer.
  const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('latin1');
  const isAtLimit = hasMember(text, 'finish_reason', '"length"') || hasMember(text, 'reason', '"max_output_tokens"');
  const isEmpty = (hasMember(text, 'content', '""') || hasMember(text, 'text', '""')) && !callsTool(text);
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
