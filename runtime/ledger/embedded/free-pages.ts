/**
 * The pages of an LMDB file that its head lists as free (lmdb 3.5.6, mdb.c). The list is a B-tree of its own: each leaf holds the pages
 * that one transaction has freed, as 64-bit numbers behind their count. A negative number is the length of a block, whose first page
 * follows. All numbers are in the machine's order of bytes. Pure.
 */
export interface Pages {
  readonly pageSize: number;
  /** The bytes from a place in the file on; null where the file is shorter. */
  read(position: number, length: number): DataView | null;
}

export const PAGE_HEAD_BYTES = 24;
const AT = { flags: 18, lower: 20 } as const;
const BRANCH = 0x01;
const NODE_HEAD_BYTES = 8;
/** The data of the node is on pages of its own. */
const BIG_DATA = 0x01;
const NUMBER_BYTES = 8;
const NO_PAGE = 0xffff_ffff_ffff_ffffn;
/** Deeper than any tree: a damaged file may lead in circles. */
const MOST_LEVELS = 16;

const IS_LITTLE: boolean = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

/** Null where the list itself lies on pages that the file does not have. */
export function freePages(pages: Pages, root: bigint): ReadonlySet<number> | null {
  const free = new Set<number>();
  return root === NO_PAGE || addTree(pages, Number(root), MOST_LEVELS, free) ? free : null;
}

function addTree(pages: Pages, number: number, levels: number, free: Set<number>): boolean {
  const page = pages.read(number * pages.pageSize, pages.pageSize);
  if (page === null || levels === 0) return false;
  const isBranch = (page.getUint16(AT.flags, IS_LITTLE) & BRANCH) !== 0;
  return nodesOf(page).every((node) =>
    isBranch ? addTree(pages, childOf(page, node), levels - 1, free) : addList(pages, page, node, free),
  );
}

/** Where the nodes of a page begin; nothing of a damaged page. */
function nodesOf(page: DataView): readonly number[] {
  const count = Math.min(page.getUint16(AT.lower, IS_LITTLE), page.byteLength - PAGE_HEAD_BYTES) >> 1;
  const places = Array.from({ length: count }, (_, at) => page.getUint16(PAGE_HEAD_BYTES + 2 * at, IS_LITTLE) + PAGE_HEAD_BYTES);
  return places.filter((place) => place + NODE_HEAD_BYTES <= page.byteLength);
}

function childOf(page: DataView, node: number): number {
  const [low, middle, high] = [0, 2, 4].map((at) => page.getUint16(node + at, IS_LITTLE));
  return (low ?? 0) + (middle ?? 0) * 2 ** 16 + (high ?? 0) * 2 ** 32;
}

function addList(pages: Pages, page: DataView, node: number, free: Set<number>): boolean {
  const length = page.getUint16(node, IS_LITTLE) + page.getUint16(node + 2, IS_LITTLE) * 2 ** 16;
  const isBig = (page.getUint16(node + 4, IS_LITTLE) & BIG_DATA) !== 0;
  const place = node + NODE_HEAD_BYTES + page.getUint16(node + 6, IS_LITTLE);
  if (place + Math.min(length, NUMBER_BYTES) > page.byteLength) return false;
  const list = isBig
    ? pages.read(Number(page.getBigUint64(place, IS_LITTLE)) * pages.pageSize + PAGE_HEAD_BYTES, length)
    : new DataView(page.buffer, page.byteOffset + place, Math.min(length, page.byteLength - place));
  if (list !== null) addNumbers(list, free);
  return list !== null;
}

function addNumbers(list: DataView, free: Set<number>): void {
  const count = Math.floor(list.byteLength / NUMBER_BYTES) - 1;
  let block = 1;
  for (let at = 1; at <= Math.min(count, Number(list.getBigInt64(0, IS_LITTLE))); at++) {
    const number = Number(list.getBigInt64(at * NUMBER_BYTES, IS_LITTLE));
    for (let one = 0; number > 0 && one < block; one++) free.add(number + one);
    block = number < 0 ? -number : 1;
  }
}
