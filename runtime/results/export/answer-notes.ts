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
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength);
  const isAtLimit = hasMember(bytes, 'finish_reason', '"length"') || hasMember(bytes, 'reason', '"max_output_tokens"');
  const isEmpty = (hasMember(bytes, 'content', '""') || hasMember(bytes, 'text', '""')) && !callsTool(bytes);
  return { atTokenLimit: atTokenLimit + Number(isAtLimit), emptyText: emptyText + Number(isEmpty) };
}

function callsTool(bytes: Buffer): boolean {
  return hasMember(bytes, 'tool_calls', '[{') || hasMember(bytes, 'function_call', '{') || hasMember(bytes, 'type', '"function_call"');
}

const COLON = 0x3a;

/** Whether a member of this name has a value that begins so. */
function hasMember(bytes: Buffer, name: string, value: string): boolean {
  const key = `"${name}"`;
  for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + 1)) {
    const colon = skipSpace(bytes, at + key.length);
    if (bytes[colon] !== COLON) continue;
    const start = skipSpace(bytes, colon + 1);
    if (bytes.toString('latin1', start, start + value.length) === value) return true;
  }
  return false;
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return at;
}
