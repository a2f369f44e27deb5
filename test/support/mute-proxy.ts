import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface MuteProxy {
  readonly address: string;
  /** From now on nothing passes either way, and no connection is closed: a cable pulled out. */
  readonly mute: () => void;
  readonly close: () => void;
}

/** A TCP proxy on loopback to `target` (host:port) that can fall silent. */
export async function muteProxy(target: string): Promise<MuteProxy> {
  const sockets = new Set<Socket>();
  let isMute = false;
  const pass = (from: Socket, to: Socket): void => {
    sockets.add(from);
    from.on('data', (chunk) => {
      if (!isMute) to.write(chunk);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      if (!isMute) to.destroy();
    });
  };
  const [host = '', port = ''] = target.split(':');
  const server = createServer((socket) => {
    const upstream = connect(Number(port), host);
    pass(socket, upstream);
    pass(upstream, socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    mute: () => {
      isMute = true;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
