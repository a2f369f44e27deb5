/**
 * `npm run build`: makes dist/, a file for each process and thread, and files for what several of them load, or load on demand.
 * A process that loads 600 modules one by one takes three times as long to start.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OUT = join(ROOT, 'dist');

/** Each name is that of a file in dist/: launchers and `siblingModule` start processes and threads by it. */
const ENTRIES: Readonly<Record<string, string>> = {
  cli: 'runtime/cli/main.ts',
  coordinator: 'runtime/coordinator/main.ts',
  worker: 'runtime/worker/main.ts',
  'heartbeat-thread': 'runtime/worker/heartbeat/heartbeat-thread.ts',
  'indexer-thread': 'runtime/input/index/indexer-thread.ts',
  'watchdog-thread': 'runtime/base/process/watchdog-thread.ts',
  probe: 'runtime/ledger/embedded/probe.ts',
};

/** lmdb loads a native library from beside itself; proto-loader serves a part of grpc-js that is not used, and is large. */
const LEFT_OUT = ['lmdb', '@grpc/proto-loader'];

/** CommonJS packages ask for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE = "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);";

/** Stack traces name the line of a source of this project; of a package's they name the file alone, since whole maps are large. */
const mapsOfOwnSources: Plugin = {
  name: 'maps-of-own-sources',
  setup: (bundle) => {
    bundle.onLoad({ filter: /\/node_modules\/.*\.[cm]?js$/ }, ({ path }) => {
      const map = JSON.stringify({ version: 3, sources: [basename(path)], mappings: 'AAAA' });
      const comment = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
      return { contents: `${readFileSync(path, 'utf8')}\n${comment}` };
    });
  },
};

const { metafile } = await build({
  absWorkingDir: ROOT,
  entryPoints: ENTRIES,
  outdir: OUT,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  external: LEFT_OUT,
  banner: { js: REQUIRE },
  inject: ['runtime/base/source-stack.ts'],
  sourcemap: 'external',
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  plugins: [mapsOfOwnSources],
  logLevel: 'warning',
});

const made = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync(OUT)) if (!made.has(name)) rmSync(join(OUT, name), { recursive: true });
