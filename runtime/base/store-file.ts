import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * What LMDB, which ends the process with SIGSEGV or SIGBUS on a file that it cannot map, needs of a file before it is opened (lmdb
 * 3.5.6). Two pages at the start describe the file in turn; the later of them counts. A page's head is 24 bytes; all numbers are in
 * the machine's order of bytes.
 */
const PAGE_HEAD_BYTES = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** From the magic number on. */
const AT = { version: 4, pageSize: 24, lastPage: 120, transaction: 128 } as const;
const META_BYTES = 136;

/** Why the file must not be opened; null where it may be, or is empty. */
export function storeFileProblem(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const first = readMeta(file, PAGE_HEAD_BYTES);
    if (first === null) return fstatSync(file).size === 0 ? null : 'is damaged, or is no store';
    const second = readMeta(file, first.pageSize + PAGE_HEAD_BYTES);
    const last = second !== null && second.transaction > first.transaction ? second : first;
    // Asked after the head was read: a store that is in use grows before its head says so.
    const [size, wanted] = [fstatSync(file).size, (last.lastPage + 1) * last.pageSize];
    return size >= wanted ? null : `has ${size} bytes, and its own head says ${wanted}: it is a part of a copy, or was cut short`;
  } finally {
    closeSync(file);
  }
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  readonly transaction: number;
}

/** Null where there is none of this version. */
function readMeta(file: number, position: number): Meta | null {
  const bytes = new DataView(new ArrayBuffer(META_BYTES));
  if (readSync(file, bytes, 0, META_BYTES, position) < META_BYTES) return null;
  if (bytes.getUint32(0, IS_LITTLE) !== MAGIC || bytes.getUint32(AT.version, IS_LITTLE) !== DATA_VERSION) return null;
  return {
    pageSize: bytes.getUint32(AT.pageSize, IS_LITTLE),
    lastPage: Number(bytes.getBigUint64(AT.lastPage, IS_LITTLE)),
    transaction: Number(bytes.getBigUint64(AT.transaction, IS_LITTLE)),
  };
}

const IS_LITTLE: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
