import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Kubeconfig } from './kubeconfig.ts';

/** A call that the API server has refused. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, call: string, answer: string) {
    super(`${call}: ${status} ${messageOf(answer)}`);
    this.status = status;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** No call of a test takes so long, but for watches. */
const CALL_LIMIT_MS = 30_000;

/**
 * The API of a cluster by its paths, for tests that look often: a call takes milliseconds, where a kubectl takes a tenth of a second of
 * CPU. It shares no code with the client that the product has, which is itself tested.
 */
export class KubeApi {
  readonly #server: string;
  readonly #agent: Agent;

  constructor({ server, ca, cert, key }: Kubeconfig) {
    this.#server = server;
    this.#agent = new Agent({ ca, cert, key, keepAlive: true });
  }

  /** Null where there is no such object. */
  async find<T>(path: string): Promise<T | null> {
    try {
      return await this.call<T>('GET', path);
    } catch (error) {
      if (error instanceof Refused && error.status === 404) return null;
      throw error;
    }
  }

  async list<T>(path: string): Promise<readonly T[]> {
    return (await this.call<{ readonly items: readonly T[] }>('GET', path)).items;
  }

  /** Throws `Refused` where the answer is not a good one. */
  async call<T>(method: Method, path: string, body?: object, contentType = 'application/json'): Promise<T> {
    const sent = body === undefined ? '' : JSON.stringify(body);
    // Node gives the body of a DELETE no length.
    const headers = { 'content-type': contentType, 'content-length': Buffer.byteLength(sent) };
    const answer = await this.#send({ method, timeout: CALL_LIMIT_MS, headers }, path, sent);
    const said = await text(answer);
    if ((answer.statusCode ?? 0) >= 300) throw new Refused(answer.statusCode ?? 0, `${method} ${path}`, said);
    return JSON.parse(said) as T;
  }

  /** Calls `onEvent` for each object that is there and for each change, until the server ends the watch. */
  async watch(path: string, onEvent: () => void): Promise<void> {
    const answer = await this.#send({ method: 'GET' }, `${path}?watch=1`);
    if (answer.statusCode !== 200) throw new Refused(answer.statusCode ?? 0, `watch ${path}`, await text(answer));
    for await (const _line of createInterface({ input: answer })) onEvent();
  }

  #send(options: RequestOptions, path: string, body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const call = request(`${this.#server}${path}`, { ...options, agent: this.#agent }, resolve);
      call.on('error', reject);
      call.on('timeout', () => call.destroy(new Error(`${options.method} ${path}: no answer within ${CALL_LIMIT_MS} ms`)));
      call.end(body);
    });
  }
}

/** What a Status object says, or the text as it is. */
function messageOf(answer: string): string {
  try {
    return (JSON.parse(answer) as { readonly message?: string }).message ?? answer;
  } catch {
    return answer;
  }
}
