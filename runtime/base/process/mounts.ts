/** One line of /proc/<pid>/mountinfo (proc(5)). */
export interface Mount {
  /** Where it is mounted. */
  readonly at: string;
  /** The name of its file system, such as `ext4` or `fuse.sshfs`. */
  readonly fileSystem: string;
}

export function parseMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [before = '', after] = line.split(' - ');
    const at = before.split(' ')[4];
    const fileSystem = after?.split(' ')[0];
    return at === undefined || fileSystem === undefined ? [] : [{ at: unescaped(at), fileSystem }];
  });
}

/** The mount that `path`, absolute and without links, lies on: of several at the same place the last one covers the others. */
export function mountOf(mounts: readonly Mount[], path: string): Mount | null {
  const above = mounts.filter(({ at }) => at === '/' || path === at || path.startsWith(`${at}/`));
  return above.reduce<Mount | null>((best, mount) => (best === null || mount.at.length >= best.at.length ? mount : best), null);
}

/** Blanks and the like are written as a backslash and three octal digits. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
