// Runs `npm ci` unless node_modules already holds exactly what package-lock.json names. Plain JavaScript: this is the one script
// that runs on the machine's own Node, before the pinned one is there.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OLDEST = [20, 19];

function isOldEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function packagesOf(file) {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8')).packages;
}

/** npm writes node_modules/.package-lock.json last, so it tells what a finished install has put there. */
function isInstalled() {
  let installed;
  try {
    installed = packagesOf('node_modules/.package-lock.json');
  } catch {
    return false;
  }
  const wanted = Object.entries(packagesOf('package-lock.json')).filter(([path]) => path !== '');
  const isComplete = wanted.every(([path, { version, integrity, optional }]) => {
    const there = installed[path];
    return there === undefined ? optional === true : there.version === version && there.integrity === integrity;
  });
  return isComplete && spawnSync(join(ROOT, 'node_modules/.bin/node'), ['--version']).status === 0;
}

/** Without node_modules/.bin: npm must not run on the very Node that it is about to replace. */
function pathOfTheMachine() {
  const parts = (process.env.PATH ?? '').split(delimiter);
  return parts.filter((part) => !part.endsWith(join('node_modules', '.bin'))).join(delimiter);
}

if (!isOldEnough(process.versions.node)) {
  process.stderr.write(`Node ${process.versions.node} is too old: install Node ${OLDEST.join('.')} or later.\n`);
  process.exit(1);
}
if (!isInstalled()) {
  process.stdout.write('installing the packages of package-lock.json (npm ci)\n');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: pathOfTheMachine() },
  });
  // npm also builds. Where only that failed, the packages are there, and the build that follows says what is wrong.
  process.exit(isInstalled() ? 0 : (status ?? 1));
}
