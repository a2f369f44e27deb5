import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Node, type Program, parseSync, visitorKeys } from 'oxc-parser';

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

interface Parsed {
  readonly program: Program;
  readonly comments: readonly { readonly start: number; readonly end: number }[];
}

/** A parser and not patterns: what a quote, a slash or a brace begins depends on everything before it. */
export function parsed(text: string): Parsed {
  const { program, comments, errors } = parseSync('source.ts', text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`cannot be parsed: ${error.message} in ${text.slice(0, 80)}`);
  return { program, comments };
}

/** Each text is asked for many times over, and parsing is most of the work. */
function oncePerText<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    const before = made.get(text);
    if (before !== undefined) return before;
    const result = make(text);
    made.set(text, result);
    return result;
  };
}

/** Calls `visit` for each node of the tree, the outer ones first, with the node that it is in. */
export function walk(node: Node, visit: (node: Node, parent: Node | null) => void, parent: Node | null = null): void {
  visit(node, parent);
  for (const key of visitorKeys[node.type] ?? []) {
    const below = (node as unknown as Record<string, Node | readonly (Node | null)[] | null | undefined>)[key];
    for (const child of Array.isArray(below) ? (below as readonly (Node | null)[]) : [below as Node | null | undefined]) {
      if (child !== null && child !== undefined) walk(child, visit, node);
    }
  }
}

/** The code with blanks for comments and for what stands in strings, templates and patterns. Every place stays where it was. */
export const onlyCode: (text: string) => string = oncePerText(withoutTexts);

function withoutTexts(text: string): string {
  const { program, comments } = parsed(text);
  const quiet: (readonly [from: number, to: number])[] = comments.map(({ start, end }) => [start, end] as const);
  walk(program, (node) => {
    if (node.type === 'TemplateElement') quiet.push([node.start + 1, node.end - (node.tail ? 1 : 2)]);
    if (node.type !== 'Literal') return;
    if (typeof node.value === 'string') quiet.push([node.start + 1, node.end - 1]);
    if ('regex' in node) quiet.push([node.start + 1, node.start + 1 + node.regex.pattern.length]);
  });
  let code = '';
  let at = 0;
  for (const [from, to] of quiet.toSorted(([a], [b]) => a - b)) {
    code += text.slice(at, from) + text.slice(from, to).replace(/[^\n]/g, ' ');
    at = to;
  }
  return code + text.slice(at);
}

export interface Import {
  readonly from: string;
  /** The path of the imported file of this project, or the package's name ('node:fs', '@grpc/grpc-js'). */
  readonly of: string;
  readonly isType: boolean;
}

/** What people wrote in operator/: what is made of the definition of its kind is left out. */
export function operatorSources(): readonly Source[] {
  return readSources('operator', (path) => path.endsWith('.ts') && !path.endsWith('.gen.ts'));
}

/** Whatever makes a file depend on another one: import, export from, import() and types named by import(). */
export function importsOf({ path, text }: Source): readonly Import[] {
  return specifiersOf(text).map(({ specifier, isType }) => {
    const isOwn = specifier.startsWith('.');
    return { from: path, of: isOwn ? relative(ROOT, join(ROOT, dirname(path), specifier)) : packageOf(specifier), isType };
  });
}

interface Specifier {
  readonly specifier: string;
  readonly isType: boolean;
}

const specifiersOf = oncePerText((text): readonly Specifier[] => {
  const found: Specifier[] = [];
  const add = (specifier: unknown, isType: boolean): void => {
    if (typeof specifier === 'string') found.push({ specifier, isType });
  };
  walk(parsed(text).program, (node) => {
    if (node.type === 'ImportDeclaration') add(node.source.value, node.importKind === 'type');
    if (node.type === 'ExportNamedDeclaration' || node.type === 'ExportAllDeclaration') add(node.source?.value, node.exportKind === 'type');
    if (node.type === 'ImportExpression') add(node.source.type === 'Literal' ? node.source.value : undefined, false);
    if (node.type === 'TSImportType') add(node.source.value, true);
  });
  return found;
});

function packageOf(specifier: string): string {
  const parts = specifier.split('/');
  return specifier.startsWith('node:') ? specifier : parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
}

/** Places where `pattern` matches, as "path:line: text". */
export function places(source: Source, pattern: RegExp, text: string = source.text): readonly string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => (pattern.test(line) ? [`${source.path}:${at + 1}: ${line.trim()}`] : []));
}
