import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * What the tests and the benchmark need of the system beside Node, npm and make. `make` installs it where it may; where it may not,
 * what needs it fails and names the package.
 */
interface SystemPackage {
  readonly name: string;
  readonly isThere: () => boolean;
}

const TEST_PACKAGES: readonly SystemPackage[] = [
  { name: 'faketime', isThere: () => faketimeLibrary() !== null },
  { name: 'iproute2', isThere: () => runs('ip', '-V') },
  { name: 'redis-server', isThere: () => runs('redis-server', '--version') },
  { name: 'strace', isThere: () => runs('strace', '-V') },
];

/** What test/cluster/kubernetes needs: to build a cluster's programs, and to run nodes. */
export const CLUSTER_PACKAGES: readonly SystemPackage[] = [
  { name: 'containerd', isThere: () => runs('containerd', '--version') },
  { name: 'containernetworking-plugins', isThere: () => ['/usr/lib/cni/ptp', '/opt/cni/bin/ptp'].some((path) => existsSync(path)) },
  { name: 'curl', isThere: () => runs('curl', '--version') },
  { name: 'gcc', isThere: () => runs('gcc', '--version') },
  { name: 'golang-go', isThere: () => runs('go', 'version') },
  { name: 'iproute2', isThere: () => runs('ip', '-V') },
  { name: 'libc6-dev', isThere: () => foldersOf('/usr/lib').some((folder) => existsSync(join('/usr/lib', folder, 'libc.a'))) },
  { name: 'nftables', isThere: () => runs('nft', '--version') },
  { name: 'openssl', isThere: () => runs('openssl', 'version') },
  { name: 'procps', isThere: () => runs('sysctl', '--version') },
  { name: 'runc', isThere: () => runs('runc', '--version') },
];

const INSTALL_LIMIT_MS = 3 * 60_000;

/** The library that steps the wall clock of the processes that load it; null where it is not installed. */
export function faketimeLibrary(): string | null {
  for (const root of ['/usr/lib', '/usr/local/lib']) {
    const found = ['', ...foldersOf(root)]
      .map((folder) => join(root, folder, 'faketime/libfaketimeMT.so.1'))
      .find((path) => existsSync(path));
    if (found !== undefined) return found;
  }
  return null;
}

/** Says what it does; answers what is still missing. */
export function installSystemPackages(say: (line: string) => void, packages: readonly SystemPackage[] = TEST_PACKAGES): readonly string[] {
  const missing = packages.filter((one) => !one.isThere()).map((one) => one.name);
  if (missing.length === 0) return [];
  say(`installing with apt-get: ${missing.join(' ')}`);
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  // The lists may never have been fetched, or be too old.
  if (!aptGet(install) && aptGet(['update'])) aptGet(install);
  const left = packages.filter((one) => !one.isThere()).map((one) => one.name);
  if (left.length > 0) say(`could not be installed, so the tests that need it will fail: ${left.join(' ')}`);
  return left;
}

/** As root, or as somebody who may become root without being asked. False where it does not work. */
function aptGet(args: readonly string[]): boolean {
  const [command, ...before] = process.getuid?.() === 0 ? ['apt-get'] : ['sudo', '-n', 'apt-get'];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(command ?? '', [...before, ...args], { stdio: 'ignore', env, timeout: INSTALL_LIMIT_MS }).status === 0;
}

function runs(command: string, ...args: readonly string[]): boolean {
  const env = { ...process.env, PATH: pathOfSystem(process.env['PATH'] ?? '') };
  return spawnSync(command, args, { stdio: 'ignore', env }).status === 0;
}

/** Without the programs of npm packages, which come first where `make` runs: one of them is also called nft, and is no nftables. */
export function pathOfSystem(path: string): string {
  return path
    .split(delimiter)
    .filter((dir) => !dir.endsWith(join('node_modules', '.bin')))
    .join(delimiter);
}

function foldersOf(path: string): readonly string[] {
  return existsSync(path) ? readdirSync(path) : [];
}
