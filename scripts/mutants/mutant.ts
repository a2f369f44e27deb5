import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** One planted fault: a small change of our own code that breaks a rule, and has to be noticed. */
export interface Mutant {
  readonly name: string;
  /** What it breaks, as PROTOCOL.md and the SPEC.md files number it. */
  readonly rule: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly old: string;
  readonly new: string;
  /** Where it is looked for if no world shows it. */
  readonly tests: readonly string[];
}

/** Why the change cannot be made, or null where it can: so that the list does not rot while the code moves on. */
export function whyNotApplicable(root: string, { file, old }: Mutant): string | null {
  const count = readFileSync(join(root, file), 'utf8').split(old).length - 1;
  return count === 1 ? null : `${file} has ${count} times: ${old}`;
}

/** The text of the file with the fault in it. */
export function mutated(root: string, { file, old, new: planted }: Mutant): string {
  return readFileSync(join(root, file), 'utf8').split(old).join(planted);
}
