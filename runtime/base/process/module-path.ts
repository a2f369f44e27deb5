import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file that holds the entry `name` of a thread or a process: among the sources `name.ts` beside `from` (an import.meta.url), in
 * the built tree `name.js`, since there all files are in one directory (scripts/build.ts).
 */
export function siblingModule(from: string, name: string): URL {
  return new URL(`./${name}${extname(fileURLToPath(from))}`, from);
}

/** A launcher in `runtime/` (coordinator.js, worker.js, cli.js), from the sources and from the built tree alike. */
export function launcher(from: string, name: 'coordinator' | 'worker' | 'cli'): string {
  const isBuilt = extname(fileURLToPath(from)) === '.js';
  return fileURLToPath(new URL(`${isBuilt ? '../runtime/' : '../'}${name}.js`, from));
}
