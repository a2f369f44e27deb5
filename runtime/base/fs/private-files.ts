/** What a run keeps holds prompts, answers and keys: nobody but its owner may read it. */
const OTHERS = 0o077;

let ofUser: number | null = null;

/** From here on this process makes files and directories that only their owner may open. Answers the umask that the user had set. */
export function keepFilesPrivate(): number {
  const before = process.umask(OTHERS);
  ofUser ??= before;
  return ofUser;
}
