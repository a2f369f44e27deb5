import { appendFile, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { told, writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { isAbsent } from '../../base/fs/if-there.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import { irregular, unwritable } from '../../format/unwritable.ts';
import {
  claimedFiles,
  isSameFile,
  notOwn,
  ofAnotherRun,
  readClaim,
  type Words,
  type WrittenFile,
  writtenFiles,
  writtenLine,
} from './output-owner.ts';
import { realTarget, temporaryPrefix } from './output-target.ts';

/**
 * Sees to it that an export replaces nothing but this run's own earlier output.
 *
 * What a run has written stands in its state directory (`outputs.ndjson`): a file is noted when it is whole and before it gets its name, so
 * that it is known after a crash too. A run that has not written its outputs yet has a claim beside each of them, which names its state
 * directory; that directory names the claimed files in turn (`claimed.json`), so that a claim whose run is gone, or writes elsewhere by
 * now, blocks no other run.
 */
export interface OutputGuard {
  /** Refuses a file that is not this run's own, and one that another unfinished run has claimed. */
  refuseTaken(paths: readonly string[]): Promise<void>;
  /** Refuses like `refuseTaken`, and claims the files until `release`. */
  claim(paths: readonly string[]): Promise<void>;
  release(): Promise<void>;
  /** The file at `temporary` is about to become `path`. */
  remember(path: string, temporary: string): Promise<void>;
}

export interface GuardOptions {
  readonly stateDir: string;
  /** What stands there is replaced, whosever it is. */
  readonly isOverwriting: boolean;
  readonly words: Words;
}

/** In the state directory: what this run has written. */
export const OUTPUTS_FILE = 'outputs.ndjson';

/** Readable to others: another user's run names the owner of the file in its message. */
const CLAIM_MODE = 0o644;

export function createOutputGuard({ stateDir, isOverwriting, words }: GuardOptions): OutputGuard {
  const [written, claimed] = [join(stateDir, OUTPUTS_FILE), join(stateDir, 'claimed.json')];

  const refuseClaimed = async (paths: readonly string[]): Promise<void> => {
    const own = await realState(stateDir);
    for (const path of paths) {
      const owner = await claimOwner(await realTarget(path));
      if (owner !== null && owner !== own) throw ofAnotherRun(path, owner, words);
    }
  };
  const refuseTaken = async (paths: readonly string[]): Promise<void> => {
    if (isOverwriting) return;
    await refuseClaimed(paths);
    const own = writtenFiles((await readTextIfThere(written)) ?? '');
    for (const path of paths) {
      const there = await seeFile(await realTarget(path));
      if (there !== null && !own.some((one) => isSameFile(one, there))) throw notOwn(path, words);
    }
  };
  return {
    refuseTaken,
    claim: async (paths) => {
      await refuseTaken(paths);
      const files = await Promise.all(paths.map(realTarget));
      await removeClaims(stateDir, claimed, files);
      await writeFileAtomic(claimed, JSON.stringify(files));
      for (const file of files) await writeClaim(file, await realState(stateDir), isOverwriting);
      // Two runs may have claimed a file at once.
      await refuseClaimed(paths);
    },
    release: async () => {
      await removeClaims(stateDir, claimed, []);
      await told(claimed, () => rm(claimed, { force: true }));
    },
    remember: async (path, temporary) => {
      const seen = await seeFile(temporary);
      if (seen !== null) await told(written, () => appendFile(written, writtenLine(path, seen), { flush: true }));
    },
  };
}

/** The real path, so that each directory has one name. A directory that does not exist yet has claimed nothing. */
async function realState(stateDir: string): Promise<string> {
  return realpath(stateDir).catch(() => resolve(stateDir));
}

/** The state directory of the unfinished run that has claimed the file; null where none has. */
async function claimOwner(file: string): Promise<string | null> {
  const text = await readFile(claimPath(file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (isAbsent(error)) return null;
    throw unwritable(file, error);
  });
  const claim = text === null ? null : readClaim(text);
  if (claim === null) return null;
  // A directory that may not be looked into is there: its run may go on.
  const files = await readTextIfThere(join(claim.stateDir, 'claimed.json')).catch(() => JSON.stringify([file]));
  return claimedFiles(files).includes(file) ? claim.stateDir : null;
}

async function writeClaim(file: string, stateDir: string, isOverwriting: boolean): Promise<void> {
  const text = `${JSON.stringify({ stateDir })}\n`;
  try {
    await writeFile(claimPath(file), text, { flag: 'wx', mode: CLAIM_MODE });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unwritable(file, error as Error);
    // A claim without an owner is replaced.
    if (isOverwriting || (await claimOwner(file)) === null) await replaceClaim(file, text);
  }
}

async function replaceClaim(file: string, text: string): Promise<void> {
  try {
    await rm(claimPath(file), { force: true });
    await writeFile(claimPath(file), text, { mode: CLAIM_MODE });
  } catch (error) {
    throw unwritable(file, error as Error);
  }
}

async function removeClaims(stateDir: string, claimed: string, kept: readonly string[]): Promise<void> {
  const own = await realState(stateDir);
  for (const file of claimedFiles(await readTextIfThere(claimed))) {
    if (kept.includes(file) || (await claimOwner(file)) !== own) continue;
    // What cannot be removed has no owner as soon as it is not among the claimed files.
    await rm(claimPath(file), { force: true }).catch(() => undefined);
  }
}

function claimPath(file: string): string {
  return join(dirname(file), `${temporaryPrefix(file)}claim`);
}

async function seeFile(path: string): Promise<WrittenFile | null> {
  const found = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
    if (isAbsent(error)) return null;
    throw unwritable(path, error);
  });
  const refusal = found === null ? null : irregular(path, found);
  if (refusal !== null) throw refusal;
  return found === null ? null : { size: Number(found.size), mtimeNs: String(found.mtimeNs) };
}
