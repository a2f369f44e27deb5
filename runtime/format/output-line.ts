import { createHash } from 'node:crypto';
import type { Item } from '../model/item.ts';

/**
 * The lines of the two output files, in the shape of the OpenAI Batch API:
 *
 *   {"id": "batch_req_…", "custom_id": …, "response": {"status_code", "request_id", "body"} | null, "error": {"code", "message", "line"} | null}
 *
 * `id` names the item (its content address), or, for a line that is no item, the line. So no two lines of a run share one.
 */

/** Where the failures go, beside the output. */
export function errorsPath(outputPath: string): string {
  return `${outputPath}.errors.jsonl`;
}

/** An answer of the backend. */
export interface Response {
  readonly statusCode: number;
  /** The server's own name for the request, null where it gave none. */
  readonly requestId: string | null;
  /** JSON text without a line end: see `parsedJson` and `plainText`. */
  readonly body: string;
}

export interface ResultRecord {
  readonly item: Pick<Item, 'customId'>;
  readonly response: Response;
  /** Content address of the item, 32 hexadecimal digits. */
  readonly id: string;
}

export interface ErrorRecord {
  /** Content address of the item, or `badLineId` of a line that is none. */
  readonly id: string;
  /** Null where the line's custom_id is not known. */
  readonly customId: string | null;
  readonly code: string;
  readonly message: string;
  /** Number of the input line, from 1. */
  readonly line: number;
  /** What the backend answered; null where it did not. */
  readonly response: Response | null;
}

/** The line of a success, UTF-8 JSON without a line end. */
export function resultLine(record: ResultRecord): Uint8Array {
  return outputLine(record.id, record.item.customId, responseJson(record.response), 'null');
}

/** The line of a failure, UTF-8 JSON without a line end. */
export function errorLine(record: ErrorRecord): Uint8Array {
  const error = JSON.stringify({ code: record.code, message: record.message, line: record.line });
  return outputLine(record.id, record.customId, record.response === null ? 'null' : responseJson(record.response), error);
}

function outputLine(id: string, customId: string | null, response: string, error: string): Uint8Array {
  return Buffer.from(`{"id":"${recordId(id)}","custom_id":${JSON.stringify(customId)},"response":${response},"error":${error}}`, 'utf8');
}

function responseJson(response: Response): string {
  return `{"status_code":${response.statusCode},"request_id":${JSON.stringify(response.requestId)},"body":${response.body}}`;
}

/** The `id` that a record carries for a content address. */
export function recordId(id: string): string {
  return `batch_req_${id}`;
}

/** Content address of an input line that is no item: of its number, since two bad lines may be the same bytes. */
export function badLineId(line: number): string {
  return createHash('sha256').update(`rollout bad line ${line}`).digest('hex').slice(0, 32);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });
const LINE_ENDS = /[\r\n]+/g;

/**
 * The server's bytes as a JSON value, and as JSON text that fits into a line: the same text, so that no number loses digits, without its
 * line ends. Those can only be white space between tokens, since inside a string JSON forbids them. Null where the bytes are not JSON.
 */
export function parsedJson(body: Uint8Array): { readonly text: string; readonly value: unknown } | null {
  try {
    const text = utf8.decode(body);
    return { value: JSON.parse(text), text: text.replace(LINE_ENDS, '') };
  } catch {
    return null;
  }
}

/** Bytes of any kind (a proxy's error page, a cut answer) as a JSON string. */
export function plainText(body: Uint8Array): string {
  return JSON.stringify(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
}

/** What is read of an output line again. */
export interface OutputRecord {
  readonly id: string;
  readonly customId: string | null;
  readonly hasResponse: boolean;
  readonly error: { readonly code: string; readonly message: string; readonly line: number } | null;
}

/** Null where the bytes are not an output line of this program. */
export function parseOutputLine(bytes: Uint8Array): OutputRecord | null {
  const value = parseObject(bytes);
  if (value === null || typeof value['id'] !== 'string') return null;
  const { id, custom_id: customId, response, error } = value;
  if (typeof customId !== 'string' && customId !== null) return null;
  if (!isObjectOrNull(response) || !isObjectOrNull(error)) return null;
  if (error === null) return response === null ? null : { id, customId, hasResponse: true, error: null };
  const { code, message, line } = error;
  if (typeof code !== 'string' || typeof message !== 'string' || typeof line !== 'number') return null;
  return { id, customId, hasResponse: response !== null, error: { code, message, line } };
}

type JsonObject = Readonly<Record<string, unknown>>;

function parseObject(bytes: Uint8Array): JsonObject | null {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObjectOrNull(value) ? value : null;
  } catch {
    return null;
  }
}

function isObjectOrNull(value: unknown): value is JsonObject | null {
  return typeof value === 'object' && !Array.isArray(value);
}
