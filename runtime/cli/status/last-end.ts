import { rm } from 'node:fs/promises';
import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { isNoSpace } from '../../base/fs/disk-space.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';

/** Why the last `rollout run` ended before the run did. It is for people only: without it, the run goes on all the same. */
interface LastEnd {
  /** Once a coordinator of a higher epoch has served, the reason is an old one. */
  readonly epoch: number;
  readonly reason: string;
}

export async function noteEnd(path: string, end: LastEnd): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(end), 0o600).catch((error: unknown) => {
    if (!isNoSpace(error)) throw error;
  });
}

export async function forgetEnd(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Empty where nothing is known, or the file cannot be read. */
export async function readEndReason(path: string, epoch: number): Promise<string> {
  try {
    const end = JSON.parse((await readTextIfThere(path)) ?? 'null') as LastEnd | null;
    return end?.epoch === epoch ? end.reason : '';
  } catch {
    return '';
  }
}
