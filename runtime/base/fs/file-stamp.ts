/** The quick check: a file that keeps both is taken for unchanged. */
export interface FileStamp {
  readonly size: number;
  readonly mtimeMs: number;
}

export function isSameStamp(a: FileStamp, b: FileStamp): boolean {
  return a.size === b.size && a.mtimeMs === b.mtimeMs;
}
