import { hash } from 'node:crypto';

/** Node's own parser is strict about UTF-8 only where it is asked to be. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });
const ID_DIGITS = 32;

interface Line {
  readonly custom_id: unknown;
  readonly url: unknown;
  readonly body: { readonly messages?: readonly { readonly content?: string }[] };
}

/** Executes one item: what the product does with a line and with the mock's answer, each thing once. */
export function resultLine(bytes: Uint8Array): Uint8Array {
  const line = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) as Line;
  if (typeof line.custom_id !== 'string' || typeof line.url !== 'string') throw new Error('a line without custom_id or url');
  const id = hash('sha256', bytes, 'hex').slice(0, ID_DIGITS);
  const body = UTF8.decode(answer(id, line.body.messages?.at(-1)?.content ?? ''));
  JSON.parse(body);
  const response = `{"status_code":200,"request_id":"mock-${id}-1","body":${body}}`;
  return Buffer.from(`{"id":"batch_req_${id}","custom_id":${JSON.stringify(line.custom_id)},"response":${response},"error":null}`);
}

/** What the product's mock answers. */
function answer(id: string, content: string): Uint8Array {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  return Buffer.from(JSON.stringify({ id: `chatcmpl-${id}-1`, object: 'chat.completion', model: 'mock', choices }));
}
