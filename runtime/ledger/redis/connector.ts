import { createConnection, Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { AbstractConnector, type RedisOptions } from 'ioredis';
import type { ServerAddress } from '../../model/redis-url.ts';
import { serverName } from './ask-server.ts';

/** Where the primary of the run is, as far as is known. Rejects where nobody knows. */
export type FindPrimary = () => Promise<ServerAddress>;

/**
 * Looks for the primary before each connection, so that a client follows it wherever it moves: all that makes the client connect again
 * makes it look again. The classes of ioredis for Sentinel and Cluster do more: they send commands again, wait in silence for a server that
 * loads its data, and do not tell why no primary was found.
 */
export function primaryConnector(find: FindPrimary): NonNullable<RedisOptions['Connector']> {
  return class PrimaryConnector extends AbstractConnector {
    readonly #tls: RedisOptions['tls'];

    constructor(options: unknown) {
      const { disconnectTimeout = 0, tls } = options as RedisOptions;
      super(disconnectTimeout);
      this.#tls = tls;
    }

    async connect(): Promise<Socket> {
      this.connecting = true;
      const stream = await find().then((address) => this.#open(address), nowhere);
      if (!this.connecting) stream.destroy();
      delete this.firstError;
      if (stream.errored !== null) this.firstError = stream.errored;
      stream.once('error', (error) => {
        this.firstError = error;
      });
      this.stream = stream;
      return stream;
    }

    #open(address: ServerAddress): Socket {
      if (this.#tls === undefined || this.#tls === null) return createConnection({ ...address });
      return connectTls({ ...address, ...this.#tls, ...serverName(address) });
    }
  };
}

/** A client that is given a connection which has failed tries again later; without one it would give up for good. */
function nowhere(why: Error): Socket {
  return new Socket().destroy(why);
}
