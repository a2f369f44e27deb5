import { Buffer } from 'node:buffer';
import type { Executed } from '../../runtime/worker/backends/contract.ts';

/** The body of an answer, whether a server sent it or the backend made it. */
export function answerBytes({ body }: Pick<Extract<Executed, { kind: 'answered' }>, 'body'>): Buffer {
  return body instanceof Uint8Array ? Buffer.from(body) : Buffer.from(body.text);
}
