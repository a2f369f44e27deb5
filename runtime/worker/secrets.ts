import { RolloutError } from '../base/errors.ts';
import { isHeaderName, isHeaderValue, isOwnHeader } from '../base/http-header.ts';
import { isJsonObject } from '../base/json/json-object.ts';

/** What a worker takes from its environment, because it may be secret. Errors name the variable and show nothing of its value. */
type Environment = Readonly<Record<string, string | undefined>>;

/** Null where there is none. */
export function apiKeyIn(env: Environment, name: string): string | null {
  const apiKey = env[name] ?? '';
  if (apiKey === '') return null;
  if (isHeaderValue(apiKey) && apiKey.trim() === apiKey) return apiKey;
  throw new RolloutError(
    'CONFIG_INVALID',
    `the API key in the environment variable ${name} holds a line end, a blank or another character that no key has: set it again`,
  );
}

export function extraHeadersIn(env: Environment, name: string | null): Readonly<Record<string, string>> {
  const text = name === null ? '' : (env[name] ?? '');
  if (text === '') return {};
  const headers = parsed(text);
  if (isJsonObject(headers) && Object.entries(headers).every(([header, value]) => isSendable(header, value)))
    return headers as Readonly<Record<string, string>>;
  throw new RolloutError(
    'CONFIG_INVALID',
    `the environment variable ${name} does not hold a JSON object of headers, as {"x-header": "value"}, or one of them cannot be sent`,
  );
}

function isSendable(name: string, value: unknown): boolean {
  return isHeaderName(name) && typeof value === 'string' && isHeaderValue(value) && !isOwnHeader(name);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
