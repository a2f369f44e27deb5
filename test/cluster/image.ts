/**
 * The product's image as a file, made without docker: Node with its libraries as one layer, /app as the other. The Dockerfile makes the
 * same /app (scripts/image-app.ts), user, entrypoint and environment.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeApp } from '../../scripts/image-app.ts';
import { CLUSTER_CACHE, runScript } from '../support/cluster/scripts.ts';

/** As charts name it. */
export const IMAGE = 'ghcr.io/rollout-run/rollout:0.1.0';

/** As the images have it that people build on. */
const USER = 65532;
const CONFIG = {
  Entrypoint: ['node'],
  Env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'NODE_ENV=production'],
  User: `${USER}:${USER}`,
  WorkingDir: '/app',
};
const ETC: Readonly<Record<string, string>> = {
  passwd: `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${USER}:${USER}:nonroot:/tmp:/sbin/nologin\n`,
  group: `root:x:0:\nnonroot:x:${USER}:\n`,
  'nsswitch.conf': 'hosts: files dns\n',
};
/** Each is 150 MB; those that were used last are what trees that are worked on need. */
const KEPT_IMAGES = 4;
const NODE = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));

/** Answers the image's file, which is called after its content: nothing is made where it is there. Needs a tree that is built. */
export async function buildImage(say: (line: string) => void = () => undefined): Promise<string> {
  const root = mkdtempSync(join(tmpdir(), 'rollout-image-'));
  try {
    const app = join(root, 'app');
    writeApp(join(app, 'app'));
    const images = join(CLUSTER_CACHE, 'images');
    const file = join(images, `${contentOf(app)}.tar`);
    if (existsSync(file)) utimesSync(file, new Date(), statSync(file).mtime);
    else await pack(root, app, file);
    for (const old of lastUsedFirst(images).slice(KEPT_IMAGES)) rmSync(old, { force: true });
    say(`image ${IMAGE}: ${mebibytes(file)} MiB, of which /app ${mebibytes(...filesIn(app))} MiB, in ${file}`);
    return file;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

async function pack(root: string, app: string, file: string): Promise<void> {
  const base = join(root, 'base');
  writeBase(base);
  for (const layer of [base, app]) chmodSync(layer, 0o755);
  mkdirSync(dirname(file), { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  await runScript('mkimage.sh', [IMAGE, unfinished, JSON.stringify(CONFIG), base, app]);
  renameSync(unfinished, file);
}

/** Node, what it is linked with, and what the C library looks for. No shell. */
function writeBase(folder: string): void {
  for (const library of librariesOf(NODE)) put(folder, library, library);
  put(folder, NODE, '/usr/local/bin/node');
  mkdirSync(join(folder, 'etc'));
  for (const [name, text] of Object.entries(ETC)) writeFileSync(join(folder, 'etc', name), text);
  mkdirSync(join(folder, 'tmp'));
  chmodSync(join(folder, 'tmp'), 0o1777);
}

function put(folder: string, from: string, to: string): void {
  mkdirSync(join(folder, dirname(to)), { recursive: true });
  copyFileSync(from, join(folder, to));
}

/** Absolute paths, the loader's included. */
function librariesOf(program: string): readonly string[] {
  return execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/[^ ]+/g) ?? [];
}

/** Of all files of /app, of Node and of what this file puts beside them. */
function contentOf(app: string): string {
  const hash = createHash('sha256').update(readFileSync(fileURLToPath(import.meta.url)));
  const { size, mtimeMs } = statSync(NODE);
  hash.update(`${size} ${mtimeMs}`);
  for (const path of filesIn(app)) hash.update(`\0${path.slice(app.length)}\0`).update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}

function lastUsedFirst(folder: string): readonly string[] {
  const paths = filesIn(folder).map((path) => ({ path, at: statSync(path).atimeMs }));
  return paths.toSorted((a, b) => b.at - a.at).map(({ path }) => path);
}

function mebibytes(...paths: readonly string[]): string {
  const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
  return (bytes / 2 ** 20).toFixed(0);
}
