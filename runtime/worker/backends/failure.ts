import type { Executed } from './contract.ts';

/** What an error of the HTTP client means. Pure. */

/** Errors before a connection stands: the server has not seen the request. */
const UNAVAILABLE_CODES: readonly string[] = [
  ...['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EMFILE', 'ENFILE', 'UND_ERR_CONNECT_TIMEOUT'],
  'PROXY_REFUSAL',
];
const UNAVAILABLE_CALLS: readonly string[] = ['connect', 'getaddrinfo'];
/** A server whose certificate is not accepted is not the one that was meant. */
const CERTIFICATE_CODE = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;
/** Signed by an authority that is not known here. */
const OWN_AUTHORITY_CODE = /^(?:UNABLE_TO_|DEPTH_ZERO_SELF|SELF_SIGNED_)/;
/** The handshake came to nothing, so that no request was sent. */
const HANDSHAKE_CODE = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS|\w*ALERT)/;
/** What Node says, under the code of a reset. */
const CLOSED_IN_HANDSHAKE = 'before secure TLS connection was established';

/** Two that do not understand each other, told with what may be wrong; the library's own words name its functions and files. */
const MISUNDERSTANDINGS: readonly { readonly code: RegExp; readonly words?: string; readonly told: string }[] = [
  {
    code: /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
    told: 'what answers there does not speak TLS: if it is the server, its address begins with http://',
  },
  {
    code: /^ECONNRESET$/,
    words: CLOSED_IN_HANDSHAKE,
    told: 'the connection was closed during the TLS handshake: if the server does not speak TLS, its address begins with http://',
  },
  {
    // Undici gives these no code.
    code: /^(?:HPE_\w+)?$/,
    words: 'does not match the HTTP/',
    told: 'what answers there does not speak HTTP/1.1: are host and port those of the server, and does its address begin with https://?',
  },
];

/** The client has refused what it was to send. */
const REFUSED_BY_CLIENT: readonly string[] = ['UND_ERR_INVALID_ARG', 'ERR_INVALID_CHAR', 'ERR_INVALID_ARG_VALUE'];

const AUTHORITY_ADVICE =
  ': where it is signed by an authority of your own, name the certificate of that authority with --ca-cert (caCert in a settings file), or in SSL_CERT_FILE';

/** What undici 7 says of an interim 100 where no `Expect` was sent; it accepts every other 1xx, and has no setting for this one. */
const UNASKED_CONTINUE = { code: 'UND_ERR_SOCKET', message: 'bad response' } as const;
const CONTINUE_TOLD = '100 Continue, which was not asked for and cannot be read: let the server, or the proxy before it, send none';

/** `asked`: the address, and the way to it. */
export function failureOf(asked: string, error: unknown): Executed {
  const detail = detailOf(error);
  const causes = causesOf(error);
  if (causes.some(({ code = '' }) => REFUSED_BY_CLIENT.includes(code)))
    return { kind: 'failed', code: 'invalid_request', message: `the client cannot send this request: ${detail}` };
  if (causes.some(isBeforeConnection)) return { kind: 'unavailable', detail: `${asked}: ${detail}` };
  return { kind: 'failed', code: 'connection_reset', message: `the connection to ${asked} broke before the answer was whole (${detail})` };
}

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

function isBeforeConnection({ code = '', syscall = '', message }: SystemError): boolean {
  if (UNAVAILABLE_CODES.includes(code) || UNAVAILABLE_CALLS.includes(syscall)) return true;
  return CERTIFICATE_CODE.test(code) || HANDSHAKE_CODE.test(code) || message.includes(CLOSED_IN_HANDSHAKE);
}

/** Node tries every address of a name and wraps the errors; the codes are on the wrapped ones. */
function causesOf(error: unknown): readonly SystemError[] {
  if (!(error instanceof Error)) return [];
  return error instanceof AggregateError ? [error, ...error.errors.flatMap(causesOf)] : [error];
}

/** What a readiness check has met. A server that speaks TLS alone closes what is not TLS without a word. */
export function probeDetailOf(origin: string, error: unknown): string {
  const isClosed = causesOf(error).some(({ code, message }) => code === 'UND_ERR_SOCKET' && message === 'other side closed');
  if (!isClosed || !origin.startsWith('http:')) return detailOf(error);
  return 'the connection was closed without an answer: if the server speaks TLS, its address begins with https://';
}

/** Says what to do at once where a certificate is signed by an authority that nobody knows. */
export function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const causes = causesOf(error);
  if (causes.some(({ code, message }) => code === UNASKED_CONTINUE.code && message === UNASKED_CONTINUE.message)) return CONTINUE_TOLD;
  const misunderstanding = MISUNDERSTANDINGS.find(({ code: wanted, words = '' }) =>
    causes.some(({ code = '', message }) => wanted.test(code) && message.includes(words)),
  );
  if (misunderstanding !== undefined) return misunderstanding.told;
  const told = error.message === '' ? eachOf(causes) : error.message;
  return causes.some(({ code = '' }) => OWN_AUTHORITY_CODE.test(code)) ? `${told}${AUTHORITY_ADVICE}` : told;
}

/** Each address that was tried, with its error: the one that wraps them says nothing of its own. */
function eachOf(causes: readonly SystemError[]): string {
  const told = causes.map(({ message, code = '' }) => (message === '' ? code : message));
  const inner = told.length > 1 ? told.slice(1) : told;
  return [...new Set(inner)].join(', ');
}
