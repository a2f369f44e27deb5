import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file beside `from` (an import.meta.url) that holds module `name`: `name.ts` when the sources run as they are, `name.js` in
 * the built tree. tsc rewrites imports, but not the names that worker threads and child processes are started by.
 */
export function siblingModule(from: string, name: string): URL {
  return new URL(`./${name}${extname(fileURLToPath(from))}`, from);
}

/** A launcher in `runtime/` (coordinator.js, worker.js, cli.js), from the sources and from the built tree alike. */
export function launcher(from: string, name: 'coordinator' | 'worker' | 'cli'): string {
  const isBuilt = extname(fileURLToPath(from)) === '.js';
  return fileURLToPath(new URL(`${isBuilt ? '../../../runtime/' : '../'}${name}.js`, from));
}
