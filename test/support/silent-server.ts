import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** The port of a server that accepts connections and never says a word, as one whose machine hangs. */
export async function silentServer(t: ExecutionContext): Promise<number> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
