import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Which of these processes has the local end of a TCP connection at this port; undefined where none has. */
export function processAt(port: number, pids: readonly number[]): number | undefined {
  const inode = inodeAt(port);
  return inode === undefined ? undefined : pids.find((pid) => descriptorsOf(pid).includes(`socket:[${inode}]`));
}

/** Columns of /proc/net/tcp: number, local address, remote address, state (01: established), ..., inode as the tenth. */
function inodeAt(port: number): string | undefined {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return rows.find((row) => row[1]?.endsWith(wanted) === true && row[3] === '01')?.[9];
}

function descriptorsOf(pid: number): readonly string[] {
  const dir = `/proc/${pid}/fd`;
  try {
    return readdirSync(dir).flatMap((name) => linkOf(`${dir}/${name}`));
  } catch {
    // The process has ended.
    return [];
  }
}

function linkOf(path: string): readonly string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
