import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's own texts, for the tests that read them. Paths are relative to the project, with '/'. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

export function readSources(folder: string, ends: (path: string) => boolean): readonly Source[] {
  const names = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
  const paths = names.map((name) => `${folder}/${name}`).filter(ends);
  return paths.toSorted().map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
}

/** Undefined where the file does not exist. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

/** What people wrote in runtime/: the generated code is left out. */
export function runtimeSources(): readonly Source[] {
  return readSources('runtime', (path) => path.endsWith('.ts') && !path.startsWith('runtime/rpc/gen/'));
}

/** The code without its comments and with empty strings, so that only what runs is looked at. Line numbers stay. */
export function onlyCode(text: string): string {
  const commentsAndStrings = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\$])*`/g;
  return text.replace(commentsAndStrings, (found) => found.replace(/[^\n'"`]/g, ''));
}

export interface Import {
  readonly from: string;
  /** The path of the imported file of this project, or the package's name ('node:fs', '@grpc/grpc-js'). */
  readonly of: string;
  readonly isType: boolean;
}

export function importsOf(source: Source): readonly Import[] {
  const statements = source.text.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'([^']+)';/gm);
  return [...statements].map(([, type, specifier = '']) => ({
    from: source.path,
    of: specifier.startsWith('.') ? relative(ROOT, join(ROOT, dirname(source.path), specifier)) : packageOf(specifier),
    isType: type !== undefined,
  }));
}

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('node:') ? specifier : parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Places where `pattern` matches, as "path:line: text". */
export function places(source: Source, pattern: RegExp, text: string = source.text): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => (pattern.test(line) ? [`${source.path}:${at + 1}: ${line.trim()}`] : []));
}
