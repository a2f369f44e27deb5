import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { type ProxyChoice, proxyAuthorization, shownProxy } from './proxy-choice.ts';

/** A proxy that answered, and did not do what it was asked. */
export class ProxyRefusal extends Error {
  readonly code = 'PROXY_REFUSAL';
}

/** Connections to a server through a proxy that opens a tunnel for each (CONNECT): what passes in it the proxy cannot read. */
export function tunnelThrough(choice: ProxyChoice, timeoutMs: number, secureContext: SecureContext | null): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs, ...(secureContext === null ? {} : { secureContext }) });
  return (options, callback) => {
    const target = `${options.hostname}:${options.port || (options.protocol === 'https:' ? 443 : 80)}`;
    askForTunnel(choice, target, timeoutMs, secureContext, {
      onOpen: (httpSocket) => connect({ ...options, httpSocket }, callback),
      onError: (error) => callback(error, null),
    });
  };
}

interface TunnelEnd {
  readonly onOpen: (socket: Socket) => void;
  readonly onError: (error: Error) => void;
}

function askForTunnel(choice: ProxyChoice, target: string, timeout: number, secure: SecureContext | null, end: TunnelEnd): void {
  const { protocol, hostname, port } = choice.url;
  const authorization = proxyAuthorization(choice);
  const headers = { host: target, ...(authorization === null ? {} : { 'proxy-authorization': authorization }) };
  const address = { hostname: hostname.replace(/[[\]]/g, ''), port, method: 'CONNECT', path: target, headers, timeout, agent: false };
  const asked =
    protocol === 'https:' ? httpsRequest({ ...address, ...(secure === null ? {} : { secureContext: secure }) }) : httpRequest(address);
  const refusal = (told: string): ProxyRefusal => new ProxyRefusal(`${shownProxy(choice)} (${choice.variable}) ${told}`);
  const answered = ({ statusCode, statusMessage }: IncomingMessage): ProxyRefusal =>
    refusal(`answered ${statusCode} ${statusMessage} to CONNECT ${target}`);
  asked.once('connect', (answer: IncomingMessage, socket: Socket) => {
    asked.setTimeout(0);
    if (answer.statusCode === 200) return end.onOpen(socket);
    // The request has ended with its answer: destroying it now raises no error.
    socket.destroy();
    end.onError(answered(answer));
  });
  asked.once('response', (answer) => asked.destroy(answered(answer)));
  asked.once('timeout', () => asked.destroy(refusal('does not answer')));
  asked.once('error', end.onError);
  asked.end();
}
