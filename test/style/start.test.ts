import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { parsed, readText, walk } from './sources.ts';

/**
 * The packages that a process or thread loads at its start, before it has done anything: each costs every start. What is needed now
 * and then is loaded by `import()`, and not listed.
 */
const AT_START: Readonly<Record<string, readonly string[]>> = {
  'runtime/cli/main.ts': ['commander', 'pino'],
  'runtime/coordinator/main.ts': ['@bufbuild/protobuf', '@grpc/grpc-js', 'lmdb', 'pino', 'ulid', 'zod'],
  'runtime/worker/main.ts': ['@bufbuild/protobuf', '@grpc/grpc-js', 'pino', 'zod'],
  'runtime/worker/heartbeat/heartbeat-thread.ts': ['@bufbuild/protobuf', '@grpc/grpc-js', 'pino'],
  'runtime/input/index/indexer-thread.ts': [],
  'runtime/base/process/watchdog-thread.ts': [],
  'runtime/ledger/embedded/probe.ts': ['lmdb'],
};

for (const [entry, packages] of Object.entries(AT_START)) {
  test(`${entry} loads no other packages at its start than these: ${packages.join(', ') || 'none'}`, (t) => {
    t.deepEqual(packagesAtStart(entry), packages);
  });
}

test('each of these is built into a file of its own, and each thread and probe that the sources start is one of them', (t) => {
  const build = readText('scripts/build.ts') ?? '';
  const built = [...build.matchAll(/'?([a-z-]+)'?: '(runtime\/[^']+\.ts)'/g)].map(([, name = '', path = '']) => ({ name, path }));
  t.deepEqual(built.map(({ path }) => path).toSorted(), Object.keys(AT_START).toSorted());
  for (const { name } of built) t.true(existsSync(`dist/${name}.js`), `dist/${name}.js`);
});

/** Follows the imports that are always loaded: neither types nor `import()`. */
function packagesAtStart(entry: string): readonly string[] {
  const [packages, seen, queue] = [new Set<string>(), new Set([entry]), [entry]];
  for (const path of queue) {
    for (const specifier of importsAtStart(readText(path) ?? '')) {
      if (specifier.startsWith('node:')) continue;
      if (!specifier.startsWith('.')) packages.add(packageOf(specifier));
      const file = join(dirname(path), specifier);
      if (!specifier.startsWith('.') || seen.has(file)) continue;
      seen.add(file);
      queue.push(file);
    }
  }
  return [...packages].toSorted();
}

function importsAtStart(text: string): readonly string[] {
  const found: string[] = [];
  walk(parsed(text).program, (node) => {
    if (node.type === 'ImportDeclaration' && node.importKind !== 'type') found.push(node.source.value);
    if (node.type === 'ExportNamedDeclaration' && node.exportKind !== 'type' && node.source !== null) found.push(node.source.value);
    if (node.type === 'ExportAllDeclaration' && node.exportKind !== 'type') found.push(node.source.value);
  });
  return found;
}

/** `@grpc/grpc-js/build/x` is a part of `@grpc/grpc-js`. */
function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
