import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

export interface GateProxy {
  readonly port: number;
  /** Every connection is cut, and a new one is cut as soon as it comes. */
  readonly shut: () => void;
  readonly open: () => void;
}

/** A TCP proxy on loopback to a port, with a gate that is open at first. */
export async function gateProxy(t: ExecutionContext, targetPort: number): Promise<GateProxy> {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((socket) => {
    if (!isOpen) return void socket.destroy();
    const upstream = connect(targetPort, '127.0.0.1');
    join(socket, upstream);
    join(upstream, socket);
  });
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => {
      sockets.delete(from);
      to.destroy();
    });
  };
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    cut();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    shut: () => {
      isOpen = false;
      cut();
    },
    open: () => {
      isOpen = true;
    },
  };
}
