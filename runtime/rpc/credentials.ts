import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls';
import { ChannelCredentials, credentials, type experimental, ServerCredentials, type VerifyOptions } from '@grpc/grpc-js';
import type { Timer } from '../base/clock.ts';
import type { WatchedCertificate } from '../tls/certificate-watch.ts';
import type { Pair } from '../tls/pair.ts';

/**
 * Credentials that go with a certificate as it is renewed. Those that grpc-js has for this cannot trust an authority that somebody else has
 * signed: OpenSSL accepts a chain that ends at one only where it is told to.
 */

export function contextOf({ ca, cert, key, isPartial }: Pick<Pair, 'ca' | 'cert' | 'key' | 'isPartial'>): SecureContextOptions {
  return { ca, cert, key, allowPartialTrustChain: isPartial };
}

type Watcher = Parameters<ServerCredentials['_addWatcher']>[0];

/** Asks every caller for a certificate. New connections are shown the last good one. */
export class ServerCredentialsOf extends ServerCredentials {
  readonly #watched: WatchedCertificate;
  #following: Timer | null = null;

  constructor(watched: WatchedCertificate) {
    const partial = watched.pair().isPartial ? { SNICallback: partialContexts(watched) } : {};
    super({ requestCert: true, rejectUnauthorized: true, ...partial }, contextOf(watched.pair()));
    this.#watched = watched;
  }

  override _addWatcher(watcher: Watcher): void {
    super._addWatcher(watcher);
    this.#following ??= this.#watched.follow((pair) => this.updateSecureContextOptions(contextOf(pair)));
  }

  override _removeWatcher(watcher: Watcher): void {
    super._removeWatcher(watcher);
    if (this.getWatcherCount() > 0) return;
    this.#following?.stop();
    this.#following = null;
  }

  override _equals(other: ServerCredentials): boolean {
    return other === this;
  }
}

/**
 * Node's servers drop the option for partial chains, but for contexts that they ask for. They ask for each connection that names a host, as
 * those of our clients do (options.ts).
 */
function partialContexts(watched: WatchedCertificate): NonNullable<TlsOptions['SNICallback']> {
  let made: { readonly pair: Pair; readonly context: SecureContext } | null = null;
  return (_host, answer) => {
    const pair = watched.pair();
    if (made?.pair !== pair) made = { pair, context: createSecureContext({ ...contextOf(pair), sessionIdContext: 'rollout' }) };
    answer(null, made.context);
  };
}

/** Shows the last good certificate at each new connection. */
export class ChannelCredentialsOf extends ChannelCredentials {
  readonly #watched: Pick<WatchedCertificate, 'pair' | 'follow'>;
  readonly #verify: VerifyOptions;

  constructor(watched: Pick<WatchedCertificate, 'pair' | 'follow'>, verify: VerifyOptions) {
    super();
    this.#watched = watched;
    this.#verify = verify;
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return other === this;
  }

  override _createSecureConnector(...place: Parameters<ChannelCredentials['_createSecureConnector']>): experimental.SecureConnector {
    const [, , callCredentials] = place;
    // Its word is not needed: each connection asks for the pair. But the files are looked at while there are connectors.
    const following = this.#watched.follow(() => undefined);
    return {
      connect: async (socket) => {
        const now = credentials.createFromSecureContext(createSecureContext(contextOf(this.#watched.pair())), this.#verify);
        return unlessClosed(socket, now._createSecureConnector(...place).connect(socket));
      },
      waitForReady: async () => undefined,
      getCallCredentials: () => callCredentials ?? credentials.createEmpty(),
      destroy: () => following.stop(),
    };
  }
}

/** A connector of grpc-js hears of errors alone, and would wait for ever for a handshake on a socket that is closed. */
async function unlessClosed<T>(socket: Socket, handshake: Promise<T>): Promise<T> {
  let onClose: () => void = () => undefined;
  const closed = new Promise<never>((_, reject) => {
    onClose = () => reject(new Error('the connection was closed during the handshake'));
    socket.once('close', onClose);
  });
  try {
    return await Promise.race([handshake, closed]);
  } finally {
    socket.off('close', onClose);
  }
}
