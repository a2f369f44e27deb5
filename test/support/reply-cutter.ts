import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

/** A TCP proxy that can end the connections at the worst moment: the server has carried a call out, and its reply does not arrive. */
export interface ReplyCutter {
  readonly port: number;
  /** The next bytes that the server sends, or those after so many more replies, reach nobody, and the connection ends. */
  cutNextReply(after?: number): void;
  cuts(): number;
  /** All that was sent to the server. */
  asked(): string;
}

export async function replyCutter(t: ExecutionContext, targetPort: number): Promise<ReplyCutter> {
  const sockets = new Set<Socket>();
  let repliesLeft: number | null = null;
  let cuts = 0;
  const asked: Buffer[] = [];
  const server = createServer((caller) => {
    const target = connect(targetPort, '127.0.0.1');
    for (const socket of [caller, target]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    caller.on('data', (chunk) => {
      asked.push(chunk);
      target.write(chunk);
    });
    target.on('data', (chunk) => {
      if (repliesLeft !== null) repliesLeft -= 1;
      if (repliesLeft !== -1) return void caller.write(chunk);
      repliesLeft = null;
      cuts += 1;
      caller.destroy();
      target.destroy();
    });
    caller.on('close', () => target.destroy());
    target.on('close', () => caller.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    cutNextReply: (after = 0) => {
      repliesLeft = after;
    },
    cuts: () => cuts,
    asked: () => Buffer.concat(asked).toString(),
  };
}
