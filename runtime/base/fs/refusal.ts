import { RAISE_LIMIT } from './open-files.ts';

/**
 * What the system means when it refuses something about a file, by its code. What can be done depends on what the file is for: the caller
 * gives the remedies. It also says what is missing for ENOENT, which has no meaning here.
 */
const MEANINGS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not do that',
  EPERM: 'the system forbids it to this user',
  EROFS: 'the file system is mounted read-only',
  ENAMETOOLONG: 'the name is too long',
  ENOTDIR: 'a part of the path is no directory',
  EISDIR: 'it is a directory',
  ELOOP: 'its links go round in a circle',
  ENOSPC: 'no space is left',
  EDQUOT: 'the disk quota is used up, so that no space is left',
  EIO: 'the disk has failed',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the system has too many files open',
};

export type Remedies = Readonly<Record<string, string>>;

/** Those that are the same for every file. */
const REMEDIES: Remedies = { EMFILE: RAISE_LIMIT, ENFILE: 'end other programs, and give the same command again' };

/** The meaning of a refusal with its remedy; `other` is the remedy for codes that have none. Null where there is nothing to say. */
export function explained(error: unknown, remedies: Remedies, other?: string): string | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  const said = [MEANINGS[code], remedies[code] ?? REMEDIES[code] ?? other].filter((part) => part !== undefined);
  return said.length === 0 ? null : said.join(': ');
}
