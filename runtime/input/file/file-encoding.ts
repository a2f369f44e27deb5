import { Buffer } from 'node:buffer';

/** The first bytes of an input. */
export interface Head {
  readonly bytes: Buffer;
  /** There are no more. */
  readonly isWhole: boolean;
}

/** Why a file as a whole is no list of lines, and the way out. */
export interface FormProblem {
  /** Goes on after the name of the file: `is UTF-16`. */
  readonly what: string;
  readonly wayOut: { readonly kind: 'command'; readonly command: string } | { readonly kind: 'advice'; readonly advice: string };
}

export function byCommand(what: string, command: string): FormProblem {
  return { what, wayOut: { kind: 'command', command } };
}

export function byAdvice(what: string, advice: string): FormProblem {
  return { what, wayOut: { kind: 'advice', advice } };
}

/** The problem of a file that is certainly text in another encoding than UTF-8, or no text at all. In other cases each line has its error. */
export function encodingProblem(head: Head): FormProblem | null {
  return wideProblem(head.bytes) ?? MAGIC.find(({ at, magic }) => startsWith(head.bytes, magic, at))?.problem ?? null;
}

interface Wide {
  readonly name: string;
  readonly mark: readonly number[];
  /** Bytes of a character that are zero where it is ASCII. */
  readonly zeros: readonly number[];
  readonly unit: number;
}

/** The marks of UTF-32LE begin like those of UTF-16LE. */
const WIDE: readonly Wide[] = [
  { name: 'UTF-32LE', mark: [0xff, 0xfe, 0, 0], zeros: [1, 2, 3], unit: 4 },
  { name: 'UTF-32BE', mark: [0, 0, 0xfe, 0xff], zeros: [0, 1, 2], unit: 4 },
  { name: 'UTF-16LE', mark: [0xff, 0xfe], zeros: [1], unit: 2 },
  { name: 'UTF-16BE', mark: [0xfe, 0xff], zeros: [0], unit: 2 },
];

function wideProblem(bytes: Buffer): FormProblem | null {
  const marked = WIDE.find(({ mark }) => startsWith(bytes, mark));
  const wide = marked ?? WIDE.find((one) => beginsAsJson(bytes, one));
  if (wide === undefined || hasNarrowLines(bytes)) return null;
  const [name = ''] = wide.name.split(/[LB]E/);
  return byCommand(`is ${name}, and lines are read as UTF-8`, `iconv -f ${marked === undefined ? wide.name : name} -t UTF-8 {}`);
}

/** Two characters of ASCII: all JSON begins so but for a string or a number of one character (RFC 4627, section 3). */
function beginsAsJson(bytes: Buffer, { zeros, unit }: Wide): boolean {
  if (bytes.length < 2 * unit) return false;
  return [...bytes.subarray(0, 2 * unit)].every((byte, at) => (byte === 0) === zeros.includes(at % unit));
}

/** The end of a line of UTF-8 and the beginning of the next: then some lines are good, and the first is a bad one. */
const NARROW_LINE_END = /[}\]"\r]\n[{["]/;

function hasNarrowLines(bytes: Buffer): boolean {
  return NARROW_LINE_END.test(bytes.toString('latin1'));
}

const LINES = 'the input is one JSON object per line';
const FETCH = 'fetch the list again';

/** First bytes that no list of JSON lines has. */
const MAGIC: readonly { readonly at?: number; readonly magic: readonly number[] | string; readonly problem: FormProblem }[] = [
  { magic: [0x28, 0xb5, 0x2f, 0xfd], problem: byCommand('is compressed with zstd', 'zstd -dc {}') },
  { magic: 'BZh', problem: byCommand('is compressed with bzip2', 'bzip2 -dc {}') },
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], problem: byCommand('is compressed with xz', 'xz -dc {}') },
  { magic: [0x04, 0x22, 0x4d, 0x18], problem: byCommand('is compressed with lz4', 'lz4 -dc {}') },
  { magic: [0x1f, 0x8b], problem: byCommand('is compressed with gzip twice', 'gzip -dc {}') },
  { magic: 'PK\x03\x04', problem: byCommand('is a zip archive', 'unzip -p {}') },
  { magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], problem: byCommand('is a 7z archive', '7z x -so {}') },
  { at: 257, magic: 'ustar', problem: byCommand('is a tar archive', 'tar -xOf {}') },
  { magic: 'PAR1', problem: byAdvice('is a Parquet file', `${LINES}: write its rows as such lines`) },
  { magic: 'ARROW1', problem: byAdvice('is an Arrow file', `${LINES}: write its rows as such lines`) },
  { magic: 'SQLite format 3\0', problem: byAdvice('is an SQLite database', `${LINES}: write its rows as such lines`) },
  { magic: '%PDF-', problem: byAdvice('is a PDF', LINES) },
  { magic: 'version https://git-lfs', problem: byAdvice('is a pointer of Git LFS, not the list', 'fetch the list with `git lfs pull`') },
  { magic: '<!DOCTYPE', problem: byAdvice('is a web page, not the list', FETCH) },
  { magic: '<!doctype', problem: byAdvice('is a web page, not the list', FETCH) },
  { magic: '<html', problem: byAdvice('is a web page, not the list', FETCH) },
  { magic: '<?xml', problem: byAdvice('is XML', LINES) },
];

function startsWith(bytes: Buffer, magic: readonly number[] | string, at = 0): boolean {
  const wanted = typeof magic === 'string' ? [...Buffer.from(magic, 'latin1')] : magic;
  return bytes.length >= at + wanted.length && wanted.every((byte, n) => bytes[at + n] === byte);
}
