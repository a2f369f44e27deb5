/**
 * `node scripts/image-app.ts FOLDER`: what an image has in /app, made of a tree that is installed and built. The Dockerfile and the image
 * of the cluster tests are both made of it.
 *
 *   cli.js, coordinator.js …   a launcher for each command of package.json
 *   dist/, runtime/*.js        what they start
 *   node_modules/              the packages that dist/ does not hold, with their native libraries
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOADED_FROM_PACKAGES } from './left-out.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Of a package: code and what it loads. Sources, types, maps, and libraries for another C library or an older Node are not run. */
const IS_RUN = /(?:\.[cm]?js|\.json|\.napi\.glibc\.node|\/LICENSE[^/]*)$/;
/**
 * Code that is compiled when a process runs for the first time is kept there. An image has none: Node looks for it under the number of the
 * user and a tag of V8, which differ where the image is run, and at best it saves 20 to 50 of the 500 ms of CPU that a start takes.
 */
const COMPILED = 'compiled';

interface Package {
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export function writeApp(folder: string): void {
  const launchers = Object.values(packageIn(ROOT).bin ?? {});
  mkdirSync(folder, { recursive: true });
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'));
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true, filter: (path) => basename(path) !== COMPILED });
  for (const from of new Set(launchers.map((path) => dirname(path)))) copyScripts(from, folder);
  for (const path of launchers) writeFileSync(join(folder, basename(path)), `import './${path}';\n`);
  for (const name of withTheirOwn(LOADED_FROM_PACKAGES)) copyPackage(name, folder);
}

/** The .js files of a folder, and of none below it: what is written in TypeScript is in dist/. */
function copyScripts(from: string, folder: string): void {
  mkdirSync(join(folder, from), { recursive: true });
  for (const name of readdirSync(join(ROOT, from))) if (name.endsWith('.js')) cpSync(join(ROOT, from, name), join(folder, from, name));
}

function copyPackage(name: string, folder: string): void {
  const filter = (path: string): boolean => statSync(path).isDirectory() || IS_RUN.test(path);
  cpSync(folderOf(name), join(folder, 'node_modules', name), { recursive: true, filter });
}

/** Packages with all that they depend on. An optional one is there where it has libraries for this machine. */
function withTheirOwn(names: readonly string[]): ReadonlySet<string> {
  const all = new Set(names);
  for (const name of all) {
    const { dependencies = {}, optionalDependencies = {} } = packageIn(folderOf(name));
    for (const one of Object.keys(dependencies)) all.add(one);
    for (const one of Object.keys(optionalDependencies)) if (existsSync(folderOf(one))) all.add(one);
  }
  return all;
}

function folderOf(name: string): string {
  return join(ROOT, 'node_modules', name);
}

function packageIn(folder: string): Package {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder] = process.argv;
  if (folder === undefined) throw new Error('usage: node scripts/image-app.ts FOLDER');
  writeApp(resolve(folder));
}
