import { readFile } from 'node:fs/promises';
import { RolloutError } from '../errors.ts';
import type { Rules } from './settings.ts';

/** Settings by name that stand above those of the file: what only the command line knows. */
export type Given = Readonly<Record<string, string>>;

/** Reads a YAML settings file. All mistakes are reported at once: RolloutError CONFIG_INVALID. */
export async function loadSettings<T>(path: string, rules: Rules<T>, given: Given = {}): Promise<T> {
  const text = await read(path);
  const own = rightOwn(text, rules, given);
  if (own !== null) return own.value;
  const { parseSettings } = await import('./settings.ts');
  return parseSettings(path, text, rules, given);
}

async function read(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new RolloutError('CONFIG_INVALID', `cannot read the settings ${path}: check the path given with --config`, { cause: error });
  }
}

/** Settings as `rollout run` writes them for its processes: JSON, which is YAML as well. */
export function settingsText(settings: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

/**
 * The settings in a text that is just as `settingsText` writes it and has no mistake: to load and run what reads YAML takes a twelfth of a
 * worker's start. Null for any other text, so that its mistakes are told with their lines, members given twice among them.
 */
function rightOwn<T>(text: string, { schema, check }: Rules<T>, given: Given): { readonly value: T } | null {
  const input = jsonOf(text);
  if (input === undefined || settingsText(input) !== text) return null;
  const parsed = schema.safeParse({ ...input, ...given });
  return parsed.success && check(parsed.data).length === 0 ? { value: parsed.data } : null;
}

function jsonOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}
