/**
 * Many test files in one process, as one test file of ava's: what the files that only compute are run through, since a process for
 * each costs more than its tests. ROLLOUT_TEST_TOGETHER names them. Each gets a `test` of its own, which names the file in its titles.
 */
import { registerHooks } from 'node:module';
import { relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Node 24 has it, the types of Node 20 do not. */
declare module 'node:module' {
  type Next<C, R> = (specifier: string, context: C) => R;
  interface Resolved {
    readonly url: string;
    readonly shortCircuit?: boolean;
  }
  interface Loaded {
    readonly format: string;
    readonly source: string;
    readonly shortCircuit?: boolean;
  }
  interface Hooks {
    resolve(specifier: string, context: { readonly parentURL?: string }, next: Next<object, Resolved>): Resolved;
    load(url: string, context: object, next: Next<object, Loaded>): Loaded;
  }
  export function registerHooks(hooks: Hooks): void;
}

const SCHEME = 'test-of:';
const PREFIXED_TEST = JSON.stringify(new URL('prefixed-test.ts', import.meta.url).href);

registerHooks({
  resolve(specifier, context, nextResolve) {
    const { parentURL = '' } = context;
    if (specifier !== 'ava' || !parentURL.endsWith('.test.ts')) return nextResolve(specifier, context);
    return { url: `${SCHEME}${parentURL}`, shortCircuit: true };
  },
  load(url, context, nextLoad) {
    if (!url.startsWith(SCHEME)) return nextLoad(url, context);
    const file = JSON.stringify(relative('.', fileURLToPath(url.slice(SCHEME.length))));
    const source = `import { prefixedTest } from ${PREFIXED_TEST};\nexport default prefixedTest(${file});\n`;
    return { format: 'module', source, shortCircuit: true };
  },
});

const files = (process.env['ROLLOUT_TEST_TOGETHER'] ?? '').split(' ').filter((file) => file !== '');
for (const file of files) await import(pathToFileURL(resolve(file)).href);
