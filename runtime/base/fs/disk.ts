import * as files from 'node:fs/promises';
import { createDurable, type DurableFile } from './durable-file.ts';

/**
 * The calls of the system that decide what a crash leaves behind, under the names of `node:fs/promises`. They are an argument of the
 * code that has to survive a power cut, so that a test can lose what was not synced.
 */
export interface Disk {
  open(path: string, flags: string, mode?: number): Promise<DiskFile>;
  /** Makes a file, where there must be none, of which each write is on disk when it resolves; its name is not. */
  createDurable(path: string): Promise<DurableFile>;
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
  writeFile(contents: Uint8Array | string): Promise<void>;
  chmod(mode: number): Promise<void>;
  /** Of a file its bytes, of a folder the names in it. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export const systemDisk: Disk = { ...files, createDurable, readBytes: (path) => files.readFile(path) };
