import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/** up: from the caller to the server; down: the way back. */
export type Direction = 'up' | 'down';

/** A TCP proxy on loopback to a port: it forwards, and ill-treats what passes as a test says. */
export interface TcpProxy {
  readonly port: number;
  /** Connections that have been made so far. */
  connections(): number;
  /** How many of them the proxy has closed of its own accord. */
  closed(): number;
  /** Closes every connection there is; new ones are served. */
  cut(): void;
  /** On the connections there are, nothing passes in these directions any more, and nobody is told: new ones are served. */
  hole(...directions: readonly Direction[]): void;
  /** From now on all that passes, in either direction, takes so long. */
  slow(ms: number): void;
}

export interface ProxyManners {
  /** So much passes in a second, on each connection and in each direction. */
  readonly bytesPerSecond?: number;
  /** A connection on which nothing has passed for so long is closed, as many proxies do. */
  readonly quietMs?: number;
  /** Every connection is closed after so long. */
  readonly lifeMs?: number;
}

export async function tcpProxy(t: ExecutionContext, targetPort: number, manners: ProxyManners = {}): Promise<TcpProxy> {
  const pairs = new Set<Pair>();
  const way: Way = { ms: 0 };
  let connections = 0;
  let closed = 0;
  const server = createServer((socket) => {
    connections += 1;
    const pair = new Pair(socket, connect(targetPort, '127.0.0.1'), way, manners, () => {
      closed += 1;
    });
    pairs.add(pair);
    socket.once('close', () => pairs.delete(pair));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const pair of pairs) pair.destroy();
  };
  t.teardown(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    closed: () => closed,
    cut,
    hole: (...directions) => {
      for (const pair of pairs) for (const direction of directions) pair.hole(direction);
    },
    slow: (ms) => {
      way.ms = ms;
    },
  };
}

/** How long it takes to get through. */
interface Way {
  ms: number;
}

class Pair {
  readonly #holes = new Set<Direction>();
  readonly #sockets: readonly Socket[];
  readonly #way: Way;
  readonly #manners: ProxyManners;

  constructor(caller: Socket, server: Socket, way: Way, manners: ProxyManners, onClosing: () => void) {
    this.#sockets = [caller, server];
    this.#way = way;
    this.#manners = manners;
    this.#join('up', caller, server);
    this.#join('down', server, caller);
    const close = (): void => {
      onClosing();
      this.destroy();
    };
    if (manners.quietMs !== undefined) for (const socket of this.#sockets) socket.setTimeout(manners.quietMs, close);
    if (manners.lifeMs === undefined) return;
    const timer = setTimeout(close, manners.lifeMs);
    caller.once('close', () => clearTimeout(timer));
  }

  hole(direction: Direction): void {
    this.#holes.add(direction);
  }

  destroy(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(direction: Direction, from: Socket, to: Socket): void {
    let throughMs = 0;
    from.on('data', (chunk) => {
      if (this.#holes.has(direction)) return;
      const nowMs = performance.now();
      // Nothing overtakes what came before it.
      throughMs = Math.max(throughMs, nowMs + this.#way.ms);
      if (throughMs <= nowMs) to.write(chunk);
      else setTimeout(() => to.write(chunk), throughMs - nowMs);
      if (this.#manners.bytesPerSecond !== undefined) rest(from, (chunk.length / this.#manners.bytesPerSecond) * 1_000);
    });
    from.on('error', () => to.destroy());
    // Through a hole not even the end of a connection is heard.
    from.on('close', () => {
      if (!this.#holes.has(direction)) to.destroy();
    });
  }
}

function rest(socket: Socket, ms: number): void {
  socket.pause();
  sleep(ms).then(
    () => socket.resume(),
    () => undefined,
  );
}
