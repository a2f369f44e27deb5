/**
 * `npm run build`: makes dist/, a file for each process and thread, and files for what each of them loads on demand.
 * A process that loads 600 modules one by one takes three times as long to start.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { LOADED_FROM_PACKAGES, NEVER_LOADED } from './left-out.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const OUT = join(ROOT, 'dist');

/** Each name is that of a file in dist/: launchers and `siblingModule` start processes and threads by it. */
const ENTRIES: Readonly<Record<string, string>> = {
  cli: 'runtime/cli/main.ts',
  coordinator: 'runtime/coordinator/main.ts',
  worker: 'runtime/worker/main.ts',
  operator: 'operator/main.ts',
  kubectl: 'operator/cli/main.ts',
  'heartbeat-thread': 'runtime/worker/heartbeat/heartbeat-thread.ts',
  'indexer-thread': 'runtime/input/index/indexer-thread.ts',
  'watchdog-thread': 'runtime/base/process/watchdog-thread.ts',
  probe: 'runtime/ledger/embedded/probe.ts',
};

/** CommonJS packages ask for Node's own modules by `require`, which an ES module does not have. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);";

/**
 * Node's own modules are taken as objects. An `import` of one reads all that it exports, also what is only loaded when it is read: that
 * of `node:http` loads an HTTP client, a tenth of a process's start. What has a getter cannot be imported by name.
 */
const nodeModulesAsObjects: Plugin = {
  name: 'node-modules-as-objects',
  setup: (bundle) => {
    bundle.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'require-call' ? { path, external: true } : { path, namespace: 'node-module', sideEffects: false },
    );
    bundle.onLoad({ filter: /^/, namespace: 'node-module' }, ({ path }) => {
      const exported = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(path) ?? {}));
      const names = exported.filter(([name, { get }]) => get === undefined && name !== 'default').map(([name]) => name);
      const all = `process.getBuiltinModule(${JSON.stringify(path)})`;
      return { contents: `const all = ${all};\nexport default all;\nexport const { ${names.join(', ')} } = all;` };
    });
  },
};

/**
 * What is loaded in the place of a whole package. Of undici, what the sources import and the method that they call: all of it, with its
 * fetch, caches, mocks and sockets, is a quarter of a worker's start. lmdb in its CommonJS form, which is one file instead of ten.
 */
const PARTS: Readonly<Record<string, string>> = {
  undici: `
    import buildConnector from 'undici/lib/core/connect.js';
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import Pool from 'undici/lib/dispatcher/pool.js';
    import request from 'undici/lib/api/api-request.js';
    Dispatcher.prototype.request = request;
    export { buildConnector, Pool };`,
  lmdb: "export const { open } = require('lmdb');",
};

const partsOfPackages: Plugin = {
  name: 'parts-of-packages',
  setup: (bundle) => {
    bundle.onResolve({ filter: /^(?:undici|lmdb)$/ }, ({ path, kind, importer }) => {
      // Other packages have an undici of their own, and use other parts of it.
      if (importer.includes('node_modules')) return undefined;
      return kind === 'require-call' ? { path, external: true } : { path, namespace: 'part' };
    });
    bundle.onLoad({ filter: /^/, namespace: 'part' }, ({ path }) => ({ contents: PARTS[path] ?? '', resolveDir: ROOT }));
  },
};

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

/** A process loads one large file sooner than thirty of those that it shares with others, though code is then in several of them. */
const outputs = await Promise.all(
  Object.entries(ENTRIES).map(async ([name, path]) => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: { [name]: path },
      chunkNames: `${name}-[hash]`,
      outdir: OUT,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20.19',
      external: [...LOADED_FROM_PACKAGES, ...NEVER_LOADED],
      banner: { js: REQUIRE },
      inject: ['runtime/base/source-stack.ts'],
      sourcemap: 'external',
      sourcesContent: false,
      legalComments: 'none',
      metafile: true,
      plugins: [nodeModulesAsObjects, partsOfPackages, mapsOfOwnSources],
      logLevel: 'warning',
    });
    return Object.keys(metafile.outputs);
  }),
);

const made = new Set(outputs.flat().map((path) => basename(path)));
/** The scripts of the ledger on Redis are read at run time, from beside whichever file was built (runtime/ledger/redis/scripts.ts). */
const LUA = 'lua';

for (const name of readdirSync(OUT)) if (!made.has(name)) rmSync(join(OUT, name), { recursive: true });
cpSync(join(ROOT, 'runtime/ledger/redis', LUA), join(OUT, LUA), { recursive: true });
