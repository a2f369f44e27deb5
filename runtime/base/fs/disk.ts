import * as files from 'node:fs/promises';

/**
 * The calls of the system that decide what a crash leaves behind, under the names of `node:fs/promises`. They are an argument of the
 * code that has to survive a power cut, so that a test can lose what was not synced.
 */
export interface Disk {
  open(path: string, flags: string, mode?: number): Promise<DiskFile>;
  /** Resolves with the first folder that it made; undefined where all were there. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
  link(existing: string, path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
  readdir(path: string): Promise<string[]>;
  readFile(path: string, encoding: 'utf8'): Promise<string>;
  readBytes(path: string): Promise<Buffer>;
  /** Cuts a file off; not synced. */
  truncate(path: string, bytes: number): Promise<void>;
}

export interface DiskFile {
  /** Writes the bytes from `offset` on at the end of the file; maybe not all of them. */
  write(bytes: Uint8Array, offset: number): Promise<{ readonly bytesWritten: number }>;
  writeFile(contents: Uint8Array | string): Promise<void>;
  chmod(mode: number): Promise<void>;
  /** Of a file its bytes, of a folder the names in it. */
  sync(): Promise<void>;
  datasync(): Promise<void>;
  close(): Promise<void>;
}

export const systemDisk: Disk = { ...files, readBytes: (path) => files.readFile(path) };
