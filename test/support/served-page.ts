import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import type { PeerCertificate, TLSSocket } from 'node:tls';

export interface ServedPage {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** What the server has shown. Nothing of it is checked. */
  readonly certificate: PeerCertificate;
}

/** A page over TLS, on a connection of its own. */
export function servedPage(port: number, path: string, token?: string, host = '127.0.0.1'): Promise<ServedPage> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, headers, agent: false, rejectUnauthorized: false }, (answer) => {
      const certificate = (answer.socket as TLSSocket).getPeerCertificate();
      text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body, headers: answer.headers, certificate }), reject);
    });
    asked.on('error', reject);
    asked.end();
  });
}
