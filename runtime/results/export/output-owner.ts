import { RolloutError } from '../../base/errors.ts';
import { isJsonObject } from '../../base/json/json-object.ts';

/** Whose an output file is. Pure; output-guard.ts looks at the files. */

/** A file as it was when it was written: a later change alters one of the two. */
export interface WrittenFile {
  readonly size: number;
  /** Nanoseconds; as text, since JSON has no such numbers. */
  readonly mtimeNs: string;
}

export function isSameFile(a: WrittenFile, b: WrittenFile): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs;
}

/** One line per file that a run has written. A line that was cut by a crash names a file that never got its name. */
export function writtenFiles(text: string): readonly WrittenFile[] {
  return text.split('\n').flatMap((line) => {
    const value = parsed(line);
    return isWrittenFile(value) ? [{ size: value.size, mtimeNs: value.mtimeNs }] : [];
  });
}

export function writtenLine(path: string, { size, mtimeNs }: WrittenFile): string {
  // The line before may have been cut.
  return `\n${JSON.stringify({ path, size, mtimeNs })}\n`;
}

/** What a run leaves beside an output that it has not written yet: where its state is. */
export interface OutputClaim {
  readonly stateDir: string;
}

/** Null where the text is no claim: then nobody has one. */
export function readClaim(text: string): OutputClaim | null {
  const value = parsed(text);
  return isJsonObject(value) && typeof value['stateDir'] === 'string' ? { stateDir: value['stateDir'] } : null;
}

/** The files that a run has claimed, as its state directory has them: a claim that is not among them has no owner any more. */
export function claimedFiles(text: string | null): readonly string[] {
  const value = text === null ? null : parsed(text);
  return Array.isArray(value) ? value.filter((path) => typeof path === 'string') : [];
}

/** How the reader of a message names an output: by flags of a command, or in a settings file. */
export type Words = 'flags' | 'settings';

const WORDS: Readonly<Record<Words, { readonly name: string; readonly overwrite: string }>> = {
  flags: { name: 'name another file with --output', overwrite: 'with --overwrite' },
  settings: { name: 'name another file in the setting `output`', overwrite: 'with the setting `overwrite: true`' },
};

export function notOwn(path: string, words: Words): RolloutError {
  const { name, overwrite } = WORDS[words];
  return new RolloutError(
    'OUTPUT_TAKEN',
    `${path} is there already, and this run has not written it, or it was changed since: ${name}, move the file away, or replace it ${overwrite}`,
  );
}

export function ofAnotherRun(path: string, stateDir: string, words: Words): RolloutError {
  const { name, overwrite } = WORDS[words];
  return new RolloutError(
    'OUTPUT_TAKEN',
    `${path} is an output of the unfinished run in ${stateDir}: ${name}, go on with that run, or take its file ${overwrite}`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function isWrittenFile(value: unknown): value is WrittenFile {
  return isJsonObject(value) && typeof value['size'] === 'number' && typeof value['mtimeNs'] === 'string';
}
