import * as z from 'zod';
import { API_URL_FORM, isApiUrl, isPlainUrl, PLAIN_URL_FORM } from '../http-header.ts';
import { DURATION_FORM, parseDurationMs, parseSizeBytes, SIZE_FORM } from './quantity.ts';

/** The kinds of settings that zod does not have. Each message continues "`field` …" and says what to write instead. */

export function durationMs(): z.ZodType<number> {
  return quantity(parseDurationMs, DURATION_FORM);
}

/** A duration that may not be 0: something is done again each time it has passed. */
export function intervalMs(): z.ZodType<number> {
  return durationMs().refine((ms) => ms > 0, { error: 'must be longer than 0' });
}

export function sizeBytes(): z.ZodType<number> {
  return quantity(parseSizeBytes, SIZE_FORM);
}

/** host:port; port 0 lets the system choose, and is only for listening. */
export function hostPort(): z.ZodType<string> {
  return z
    .string()
    .refine(isHostPort, { error: (issue) => `must be host:port, such as 127.0.0.1:50051, but is ${JSON.stringify(issue.input)}` });
}

/** Name of an environment variable. The value is not shown: people do put the key itself here. */
export function environmentName(): z.ZodType<string> {
  return z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
    error: 'must be the name of an environment variable, such as OPENAI_API_KEY, not the secret itself',
  });
}

/** An address such as `http://127.0.0.1:8000`. The value is not shown: it may hold a password. */
export function httpUrl(): z.ZodType<string> {
  return z
    .string()
    .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
      error: 'must be an address that begins with http:// or https://, such as http://127.0.0.1:8000',
      abort: true,
    })
    .refine(isPlainUrl, { error: `must be ${PLAIN_URL_FORM}` })
    .refine(isApiUrl, { error: `must be ${API_URL_FORM}` });
}

/** One address or a list of them, read as a list. */
export function httpUrls(): z.ZodType<readonly string[]> {
  return z.unknown().transform((value, context) => {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.length === 0) context.addIssue({ code: 'custom', message: 'must not be empty' });
    return values.map((one, place) => {
      const read = httpUrl().safeParse(one);
      if (read.success) return read.data;
      const message = read.error.issues[0]?.message ?? 'must be an address';
      context.addIssue({ code: 'custom', message, path: Array.isArray(value) ? [place] : [] });
      return z.NEVER;
    });
  });
}

/** Permissions of a file, as chmod takes them; as text, since YAML reads 0640 as a number of its own. */
export function fileMode(): z.ZodType<number> {
  return z
    .string()
    .regex(/^0?[0-7]{3}$/, { error: "must be permissions in quotes, such as '0640'" })
    .transform((text) => Number.parseInt(text, 8));
}

export function isHostPort(text: string): boolean {
  const match = /^(?:\[[0-9A-Fa-f:.]+\]|[^\s:[\]/]+):(\d{1,5})$/.exec(text);
  return match !== null && Number(match[1]) <= 65_535;
}

function quantity(parse: (text: string) => number | null, form: string): z.ZodType<number> {
  return z.unknown().transform((value, context) => {
    const parsed = typeof value === 'string' ? parse(value) : null;
    if (parsed !== null) return parsed;
    context.addIssue({ code: 'custom', message: `must be ${form}, but is ${JSON.stringify(value)}` });
    return z.NEVER;
  });
}
