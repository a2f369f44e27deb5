import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import type { AnswerNotes } from './answer-notes.ts';

/** Kept in the state directory for `rollout run`, which shows the notes at the end of the run. */
export async function writeNotes(path: string, notes: AnswerNotes): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(notes));
}

/** Null where nothing has been exported yet, or the file cannot be read. */
export async function readNotes(path: string): Promise<AnswerNotes | null> {
  try {
    return JSON.parse((await readTextIfThere(path)) ?? 'null') as AnswerNotes | null;
  } catch {
    return null;
  }
}
