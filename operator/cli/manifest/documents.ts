import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml';
import { type Block, isBlock } from './block.ts';
import type { FieldPath } from './schema-check.ts';

/** One document of a file of manifests. */
export interface Manifest {
  readonly value: Block;
  /** The line of the file that a field stands on; of what is missing, the block around it that is there. */
  lineOf(path: FieldPath): number;
}

/** A mistake of YAML itself. */
export interface SyntaxMistake {
  readonly line: number;
  readonly problem: string;
}

export interface Documents {
  readonly manifests: readonly Manifest[];
  readonly mistakes: readonly SyntaxMistake[];
}

/** The documents of a YAML or JSON text; empty ones are left out. */
export function documentsIn(text: string): Documents {
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, merge: true });
  const read = [...documents].map((document) => readDocument(document, lines));
  return { manifests: read.flatMap(({ manifests }) => manifests), mistakes: read.flatMap(({ mistakes }) => mistakes) };
}

function readDocument(document: Document.Parsed, lines: LineCounter): Documents {
  const at = (offset: number): number => lines.linePos(offset).line;
  if (document.errors.length > 0)
    return { manifests: [], mistakes: document.errors.map(({ pos, message }) => ({ line: at(pos[0]), problem: message })) };
  const { contents } = document;
  const start = contents?.range[0] ?? 0;
  const value = readValue(document);
  if (value.kind === 'refused') return { manifests: [], mistakes: [{ line: at(start), problem: value.why }] };
  if (value.of === null || value.of === undefined) return { manifests: [], mistakes: [] };
  if (!isBlock(value.of))
    return { manifests: [], mistakes: [{ line: at(start), problem: 'is no manifest: it must be a block of fields' }] };
  return { manifests: [{ value: value.of, lineOf: (path) => at(offsetOf(document, contents, path) ?? start) }], mistakes: [] };
}

type Value = { readonly kind: 'value'; readonly of: unknown } | { readonly kind: 'refused'; readonly why: string };

/** The library refuses a document whose aliases make it grow without an end. */
function readValue(document: Document.Parsed): Value {
  try {
    return { kind: 'value', of: document.toJS() as unknown };
  } catch (error) {
    return { kind: 'refused', why: (error as Error).message };
  }
}

function offsetOf(document: Document, node: unknown, path: FieldPath): number | null {
  const [part, ...rest] = path;
  const known: unknown = isAlias(node) ? node.resolve(document) : node;
  if (part === undefined) return null;
  if (isMap(known)) {
    const pair = known.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    if (pair === undefined) return null;
    return offsetOf(document, pair.value, rest) ?? startOf(pair.key);
  }
  if (!isSeq(known) || typeof part !== 'number') return null;
  const item = known.items[part];
  return item === undefined ? null : (offsetOf(document, item, rest) ?? startOf(item));
}

function startOf(node: unknown): number | null {
  return (node as Node | null)?.range?.[0] ?? null;
}
