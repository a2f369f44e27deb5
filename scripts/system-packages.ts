import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the tests and the benchmark need of the system beside Node, npm and make. `make` installs it where it may; where it may not,
 * what needs it fails and names the package.
 */
interface SystemPackage {
  readonly name: string;
  readonly isThere: () => boolean;
}

const PACKAGES: readonly SystemPackage[] = [
  { name: 'faketime', isThere: () => faketimeLibrary() !== null },
  { name: 'iproute2', isThere: () => spawnSync('ip', ['-V'], { stdio: 'ignore' }).status === 0 },
  { name: 'redis-server', isThere: () => spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0 },
  { name: 'strace', isThere: () => spawnSync('strace', ['-V'], { stdio: 'ignore' }).status === 0 },
];

const INSTALL_LIMIT_MS = 3 * 60_000;

/** The library that steps the wall clock of the processes that load it; null where it is not installed. */
export function faketimeLibrary(): string | null {
  for (const root of ['/usr/lib', '/usr/local/lib']) {
    const folders = existsSync(root) ? readdirSync(root) : [];
    const found = ['', ...folders].map((folder) => join(root, folder, 'faketime/libfaketimeMT.so.1')).find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return null;
}

/** Says what it does; answers what is still missing. */
export function installSystemPackages(say: (line: string) => void): readonly string[] {
  const missing = PACKAGES.filter((one) => !one.isThere()).map((one) => one.name);
  if (missing.length === 0) return [];
  say(`installing with apt-get: ${missing.join(' ')}`);
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  // The lists may never have been fetched, or be too old.
  if (!aptGet(install) && aptGet(['update'])) aptGet(install);
  const left = PACKAGES.filter((one) => !one.isThere()).map((one) => one.name);
  if (left.length > 0) say(`could not be installed, so the tests that need it will fail: ${left.join(' ')}`);
  return left;
}

/** As root, or as somebody who may become root without being asked. False where it does not work. */
function aptGet(args: readonly string[]): boolean {
  const [command, ...before] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command ?? '', [...before, ...args], { stdio: 'ignore', env, timeout: INSTALL_LIMIT_MS }).status === 0;
}
