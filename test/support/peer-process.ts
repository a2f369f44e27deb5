import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** The local ports of all TCP connections of these processes, each with the process that has it. */
export function connectionsOf(pids: readonly number[]): ReadonlyMap<number, number> {
  const ports = portsByInode();
  const found = pids.flatMap((pid) => socketsOf(pid).map((inode) => [ports.get(inode), pid] as const));
  return new Map(found.filter((one): one is readonly [number, number] => one[0] !== undefined));
}

/** Columns of /proc/net/tcp: number, local address, remote address, state (01: established), ..., inode as the tenth. */
function portsByInode(): ReadonlyMap<string, number> {
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  const established = rows.filter((row) => row[3] === '01');
  return new Map(established.map((row) => [row[9] ?? '', Number.parseInt(row[1]?.split(':')[1] ?? '', 16)]));
}

function socketsOf(pid: number): readonly string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).flatMap((name) => inodeOf(`${dir}/${name}`));
  } catch {
    // The process has ended.
    return [];
  }
}

function inodeOf(path: string): readonly string[] {
  try {
    const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(path)) ?? [];
    return inode === undefined ? [] : [inode];
  } catch {
    return [];
  }
}
