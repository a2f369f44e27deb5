import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';
import { closer, listen } from './server.ts';

/** A forward proxy that keeps what it was asked: whole addresses, and tunnels (CONNECT). Every host is this one. */
export interface ZooProxy {
  readonly url: string;
  readonly port: number;
  /** Method and target of each request. */
  readonly asked: readonly string[];
  /** The Proxy-Authorization of each. */
  readonly authorizations: readonly (string | undefined)[];
}

/** `refusal`: the status that it answers to everything. */
export async function zooProxy(t: ExecutionContext, refusal: number | null = null): Promise<ZooProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const keep = (request: IncomingMessage): void => {
    asked.push(`${request.method} ${request.url}`);
    authorizations.push(request.headers['proxy-authorization']);
  };
  const server = createServer((request, response) => {
    keep(request);
    if (refusal === null) forward(request, response);
    else response.writeHead(refusal, { 'content-type': 'text/html' }).end('<html><title>the proxy refuses</title></html>');
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    keep(request);
    if (refusal === null) tunnel(request, socket);
    else socket.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`);
  });
  const close = closer(server);
  await listen(server, 0);
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked, authorizations };
}

function forward(request: IncomingMessage, response: ServerResponse): void {
  const { port, pathname, search } = new URL(request.url ?? '');
  const { method, headers } = request;
  const onward = httpRequest({ host: '127.0.0.1', port, path: `${pathname}${search}`, method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.writeHead(502).end());
  request.pipe(onward);
}

function tunnel(request: IncomingMessage, socket: Socket): void {
  const onward = connect(Number(request.url?.split(':').at(-1)), '127.0.0.1', () => {
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  });
  onward.on('error', () => socket.destroy());
  socket.on('error', () => onward.destroy());
}
