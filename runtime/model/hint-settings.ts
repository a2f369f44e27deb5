import * as z from 'zod';
import { DURATION_FORM, parseDurationMs } from '../base/config/quantity.ts';
import { parseEntries, type Rules } from '../base/config/settings.ts';
import { isOneLine, ONE_LINE_FORM } from './detail.ts';
import { type Deadline, PROVIDERS, SEVERITIES, type WrittenHint } from './hint.ts';
import { isWorkerId } from './row.ts';

/** The hints file: one hint, or a list of them, in YAML or JSON; an empty one says nothing. */

/** A person or an agent writes it for some machines; what is longer is another file. */
export const MAX_HINTS = 10_000;

const DEADLINE_FORM = `${DURATION_FORM}, or a moment such as 2026-01-31T10:00:00Z`;
/** A moment without a zone would mean something else on every machine. */
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/;

const schema = z.strictObject({
  node: oneLine().optional(),
  worker: z.string().refine(isWorkerId, { error: "must be 1 to 64 letters, digits, '-', '_' or '.'" }).optional(),
  severity: z.enum(SEVERITIES),
  provider: z.enum(PROVIDERS).optional(),
  deadline: z
    .unknown()
    .transform((value, context) => {
      const deadline = typeof value === 'string' ? parseDeadline(value) : null;
      if (deadline !== null) return deadline;
      context.addIssue({ code: 'custom', message: `must be ${DEADLINE_FORM}, but is ${JSON.stringify(value)}` });
      return z.NEVER;
    })
    .optional(),
  reason: oneLine().default(''),
});

type Raw = z.infer<typeof schema>;

/** `isNaming`: each hint must say whom it concerns. Throws RolloutError CONFIG_INVALID with all mistakes and their lines. */
export function parseHints(file: string, text: string, isNaming: boolean): readonly WrittenHint[] {
  const rules: Rules<Raw> = { schema, check: (raw) => (isNaming ? checkName(raw) : []) };
  return parseEntries(file, text, MAX_HINTS, rules).map(({ node, worker, severity, provider, deadline, reason }) => ({
    node: node ?? null,
    worker: worker ?? null,
    severity,
    provider: provider ?? null,
    deadline: deadline ?? null,
    reason: reason === '' ? defaultReason(severity, provider) : reason,
  }));
}

export function parseDeadline(text: string): Deadline | null {
  const ms = parseDurationMs(text);
  if (ms !== null) return { kind: 'in', ms };
  const wallMs = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(wallMs) ? null : { kind: 'at', wallMs };
}

function checkName({ node, worker }: Raw): readonly { readonly field: string; readonly problem: string }[] {
  if (node !== undefined || worker !== undefined) return [];
  return [{ field: 'node', problem: 'is missing: name the machine with `node`, or a worker with `worker`' }];
}

function defaultReason(severity: Raw['severity'], provider: Raw['provider']): string {
  return `${provider ?? 'the hints file'} says ${severity}`;
}

function oneLine(): z.ZodString {
  return z.string().refine(isOneLine, { error: ONE_LINE_FORM });
}
