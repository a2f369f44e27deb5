import { Redis } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { addressText } from '../../model/redis-url.ts';
import { plainError } from './client-error.ts';
import { primaryConnector } from './connector.ts';
import { CLOSED, storeFailure } from './failure.ts';
import { primaryFinder, type ServerOptions } from './primary.ts';
import { hasMoved } from './redirection.ts';

/** Between two tries to connect again. A server that was restarted is found within a second. */
const RECONNECT_MOST_MS = 500;
const RECONNECT_STEP_MS = 50;
const CONNECT_LIMIT_MS = 5_000;
/** A connection on which an answer is overdue for so long is given up, before the call is (deadline.ts): the next call has a new one. */
const SILENT_MS = 8_000;

/**
 * To the primary that has the keys of a run, wherever that is (primary.ts): it is looked for before each connection, and a server that says
 * it is not the one is left. A replica is never read from.
 *
 * A script is never sent twice by the client: what was on its way when the connection ended has an unknown fate, which only the caller may
 * resolve (L20), and what comes while there is no connection was not executed. By default ioredis does both by itself.
 */
export class Connection extends Redis {
  /** Why there is no connection, by the last try; null while there is one. */
  #trouble: Error | null = null;
  #hasAnswered = false;
  /** Why there will never be one. */
  #refusal: RolloutError | null = null;

  constructor(servers: ServerOptions, onError: (error: Error) => void, runId = '') {
    const { seeds: _, sentinel: _ofGroup, ...options } = servers;
    const find = primaryFinder(servers, runId);
    super({
      socketTimeout: SILENT_MS,
      connectTimeout: CONNECT_LIMIT_MS,
      ...options,
      ...(find === null ? {} : { Connector: primaryConnector(find) }),
      // Of the two protocols the older is the one that every server speaks, and the scripts' replies are the same in both.
      protocol: 2,
      replyMapping: 'legacy',
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      enableOfflineQueue: false,
      // The client would wait in silence for a server that loads its data; the first command is told so.
      enableReadyCheck: false,
      reconnectOnError: ({ message }) => hasMoved(message),
      retryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MOST_MS),
      lazyConnect: true,
    });
    this.on('error', (error: Error) => {
      if (isSelectRefused(error)) this.#refuse(unusableDatabase(error, this.options.db));
      // What a server that was answering says of its group may pass: it is asked again, as one that is away.
      if (error instanceof RolloutError && !this.#hasAnswered) this.#refuse(error);
      this.#trouble = plainError(error);
      onError(this.#trouble);
    });
    this.on('close', () => {
      this.#trouble ??= new Error(CLOSED);
    });
    this.on('ready', () => {
      if (this.#refusal !== null) return;
      this.#trouble = null;
      this.#hasAnswered = true;
    });
  }

  /** The server that it is connected to. */
  get server(): string {
    const { remoteAddress: host = '', remotePort: port = 0 } = this.stream;
    return addressText({ host, port });
  }

  /** An error of this connection or of a command on it, in one of the three kinds (call-failed.ts). */
  failure(error: unknown): Error {
    const { tls } = this.options;
    return (
      this.#refusal ??
      storeFailure(error, { trouble: this.#trouble, isTls: tls !== undefined && tls !== null, hasAnswered: this.#hasAnswered })
    );
  }

  /** Rejects where the server cannot be reached; the client would go on trying by itself. */
  async open(): Promise<void> {
    try {
      await this.connect();
      if (this.#refusal !== null) throw this.#refusal;
    } catch (error) {
      this.disconnect();
      throw this.failure(this.#trouble ?? error);
    }
  }

  #refuse(why: RolloutError): void {
    this.#refusal = why;
    this.disconnect();
  }
}

/** The client would go on in database 0, where the run is not, or another one is. */
function unusableDatabase({ message }: Error, db: number | undefined): RolloutError {
  return new RolloutError(
    'STORE_UNFIT',
    `database ${db} of the Redis server cannot be used (${message}): name one that it has (the number at the end of the URL, below its setting \`databases\`; a cluster has only 0), and let the user of the run give SELECT`,
  );
}

function isSelectRefused(error: Error): boolean {
  const { command } = error as { readonly command?: { readonly name?: string } };
  return command?.name === 'select' && /^(?:ERR|NOPERM)\b/.test(error.message);
}

/** Of a call on this connection. */
export async function failing<T>(connection: Connection, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw connection.failure(error);
  }
}
