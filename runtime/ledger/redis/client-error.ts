/**
 * What the client's errors say, and nothing else of them. An error of ioredis carries the command that failed with its arguments, and
 * a password is one (AUTH): such an error may be neither logged nor be the cause of another.
 */

/** A new error: of the given one it has the name, the code and what it says. */
export function plainError(error: unknown): Error {
  const plain = new Error(saidBy(error));
  if (!(error instanceof Error)) return plain;
  plain.name = error.name;
  const { code, syscall } = error as { readonly code?: unknown; readonly syscall?: unknown };
  return Object.assign(plain, typeof code === 'string' ? { code } : {}, typeof syscall === 'string' ? { syscall } : {});
}

/** The system or TLS said it, not the server: no answer came. */
export function isSystemError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return 'syscall' in error || ('code' in error && /^(?:E[A-Z]+|ERR_(?:SSL|TLS)_\w+|[A-Z_]*CERT[A-Z_]*)$/.test(String(error.code)));
}

/** A word of the server (`MOVED …`, `NOAUTH …`), in place of the answer; other errors say that none came. */
export function isServerWord({ message }: Error): boolean {
  return /^[A-Z]+ /.test(message);
}

function saidBy(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // A name with several addresses: each was tried.
  if (error instanceof AggregateError) return error.errors.map(saidBy).join(', ');
  const { reason } = error as { readonly reason?: unknown };
  // The message of OpenSSL has addresses in memory and lines of its source.
  if (isSystemError(error) && typeof reason === 'string' && reason !== '') return `TLS: ${reason}`;
  return error.message;
}
