import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { freePages, PAGE_HEAD_BYTES } from './free-pages.ts';

/**
 * What LMDB, which ends the process with SIGSEGV or SIGBUS on a file that it cannot map, needs of a file before it is opened (lmdb
 * 3.5.6). Two pages at the start describe the file in turn; the later of them counts. All numbers are in the machine's order
 * of bytes.
 */
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
/** From the magic number on. */
const AT = { version: 4, pageSize: 24, freeRoot: 64, lastPage: 120, transaction: 128 } as const;
const META_BYTES = 136;

/** A store that is in use changes while it is looked at: so often at most is it looked at again. */
const MOST_LOOKS = 10;

/** Why the file must not be opened; null where it may be, or is empty. */
export function storeFileProblem(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    let head = readHead(file);
    for (let look = 1; head !== null; look++) {
      const problem = shortage(file, head);
      const now = problem === null ? head : readHead(file);
      if (now?.transaction === head.transaction || look === MOST_LOOKS) return problem;
      head = now;
    }
    return fstatSync(file).size === 0 ? null : 'is damaged, or is no store';
  } finally {
    closeSync(file);
  }
}

function readHead(file: number): Meta | null {
  const first = readMeta(file, PAGE_HEAD_BYTES);
  if (first === null) return null;
  const second = readMeta(file, first.pageSize + PAGE_HEAD_BYTES);
  return second !== null && second.transaction > first.transaction ? second : first;
}

/** The file may end before its last page where all that is missing is free: LMDB does not write such pages. */
function shortage(file: number, { pageSize, lastPage, freeRoot }: Meta): string | null {
  // Asked after the head was read: a store that is in use grows before its head says so.
  const [size, wanted] = [fstatSync(file).size, (lastPage + 1) * pageSize];
  if (size >= wanted) return null;
  const free = freePages({ pageSize, read: (position, length) => readBytes(file, position, length, size) }, freeRoot);
  let page = Math.floor(size / pageSize);
  while (free?.has(page) === true) page += 1;
  return page > lastPage ? null : `has ${size} bytes, and its own head says ${wanted}: it is a part of a copy, or was cut short`;
}

interface Meta {
  readonly pageSize: number;
  readonly lastPage: number;
  /** Where the list of free pages begins. */
  readonly freeRoot: bigint;
  readonly transaction: number;
}

/** Null where there is none of this version. */
function readMeta(file: number, position: number): Meta | null {
  const bytes = readBytes(file, position, META_BYTES);
  if (bytes === null) return null;
  if (bytes.getUint32(0, IS_LITTLE) !== MAGIC || bytes.getUint32(AT.version, IS_LITTLE) !== DATA_VERSION) return null;
  return {
    pageSize: bytes.getUint32(AT.pageSize, IS_LITTLE),
    freeRoot: bytes.getBigUint64(AT.freeRoot, IS_LITTLE),
    lastPage: Number(bytes.getBigUint64(AT.lastPage, IS_LITTLE)),
    transaction: Number(bytes.getBigUint64(AT.transaction, IS_LITTLE)),
  };
}

/** Null where the file, of which `size` bytes are known, ends before. */
function readBytes(file: number, position: number, length: number, size = Number.MAX_SAFE_INTEGER): DataView | null {
  if (position + length > size) return null;
  const bytes = new DataView(new ArrayBuffer(length));
  return readSync(file, bytes, 0, length, position) < length ? null : bytes;
}

const IS_LITTLE: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
