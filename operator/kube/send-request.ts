import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { onAbort } from '../../runtime/base/abort.ts';
import { NoAnswer } from './api-error.ts';
import { type Access, KEEP_ALIVE_MS } from './credentials.ts';
import type { Call, OpenAnswer } from './transport.ts';

export interface RequestContext {
  readonly access: Access;
  readonly userAgent: string;
  /** The call's own deadline, which belongs to this call alone. */
  readonly limit: AbortSignal;
}

/** One request; resolves with the head of its answer, and throws NoAnswer where there is none. */
export async function sendRequest(server: string, call: Call, context: RequestContext): Promise<OpenAnswer> {
  const what = `${call.method} ${call.path}`;
  const message = await headOf(server, call, context, what);
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    chunks: chunksOf(message, what),
    destroy: (why) => {
      // A connection whose answer was read to its end is used again.
      if (!message.readableEnded) message.destroy(new NoAnswer(`${what}: ${why}`));
    },
  };
}

function headOf(server: string, call: Call, context: RequestContext, what: string): Promise<IncomingMessage> {
  const { access, userAgent, limit } = context;
  return new Promise((resolve, reject) => {
    const url = new URL(`${server}${call.path}`);
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: call.method,
      agent: access.agent,
      headers: { accept: 'application/json', 'user-agent': userAgent, ...bodyHeaders(call), ...access.headers },
      ...(access.auth === null ? {} : { auth: access.auth }),
    });
    let message: IncomingMessage | null = null;
    const giveUp = (): void => {
      (message ?? request).destroy(new NoAnswer(`${what}: given up`));
    };
    // The signal of a call may live as long as the process; nothing of the call stays with it.
    request.once('close', () => call.signal?.removeEventListener('abort', giveUp));
    request.once('response', (head: IncomingMessage) => {
      message = head;
      resolve(head);
    });
    request.on('error', (cause: NodeJS.ErrnoException) => {
      if (wasNotSeen(call, request.reusedSocket, cause)) resolve(headOf(server, call, context, what));
      else reject(cause instanceof NoAnswer ? cause : new NoAnswer(`${what}: ${cause.message}`, { cause }));
    });
    onAbort(limit, giveUp);
    if (call.signal?.aborted === true) giveUp();
    call.signal?.addEventListener('abort', giveUp);
    request.setSocketKeepAlive(true, KEEP_ALIVE_MS);
    request.end(call.body?.text);
  });
}

/**
 * The server may close an idle connection at the moment at which a request takes it. That is no failure of the server's, and each try
 * uses up one such connection. A request that changes something is left to its caller, since it might have been carried out.
 */
function wasNotSeen(call: Call, isReused: boolean, { code }: NodeJS.ErrnoException): boolean {
  return call.method === 'GET' && isReused && (code === 'ECONNRESET' || code === 'EPIPE');
}

function bodyHeaders({ body }: Call): Record<string, string> {
  return body === undefined ? {} : { 'content-type': body.contentType, 'content-length': String(Buffer.byteLength(body.text)) };
}

async function* chunksOf(message: IncomingMessage, what: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    for await (const chunk of message) yield chunk as Buffer;
  } catch (cause) {
    throw cause instanceof NoAnswer ? cause : new NoAnswer(`${what}: the answer broke off (${(cause as Error).message})`, { cause });
  }
}
