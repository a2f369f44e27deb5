import type { CallExpression, ImportDeclaration, Node, ObjectProperty } from 'oxc-parser';
import { parsed, type Source, walk } from './sources.ts';

/**
 * What may be said to lmdb. Everything else is refused: among its options are noSync, noMetaSync, mapAsync, commitDelay and others with
 * which a commit is not on disk when it is told, useWritemap, with which a full disk ends the process, and sizes that are too small some
 * day. A list of what is allowed also knows the options of its next version.
 */
const ALLOWED = new Set(['path', 'name', 'noSubdir', 'encoding', 'keyEncoding', 'readOnly', 'maxDbs']);
/** Said, and said to be off: they are on where they are left out. */
const OFF = ['overlappingSync', 'eventTurnBatching'];

/** What a file says to lmdb and may not, or says in a way that nobody can read off it. */
export function lmdbFaults(source: Source): readonly string[] {
  const { program } = parsed(source.text);
  const faults: string[] = [];
  const opens = new Set<string>();
  walk(program, (node) => {
    if (node.type === 'ImportExpression' && isLmdb(node.source)) faults.push('import() of lmdb');
    if (node.type === 'ImportDeclaration' && isLmdb(node.source) && node.importKind !== 'type') faults.push(...faultsOfImport(node, opens));
  });
  walk(program, (node, parent) => {
    if (node.type === 'CallExpression') faults.push(...faultsOfCall(node, opens));
    const isNamed = node.type === 'Identifier' && opens.has(node.name);
    const isUsed = parent?.type === 'CallExpression' || parent?.type === 'ImportSpecifier' || isKey(node, parent);
    if (isNamed && !isUsed) faults.push(`${node.name} of lmdb gets another name`);
  });
  return faults;
}

/** Only `open` and types come from lmdb; `opens` takes the name that it gets here. */
function faultsOfImport(node: ImportDeclaration, opens: Set<string>): readonly string[] {
  return node.specifiers.flatMap((one) => {
    if (one.type !== 'ImportSpecifier') return [`imports ${one.local.name} of lmdb`];
    if (one.importKind === 'type') return [];
    if (one.imported.type !== 'Identifier' || one.imported.name !== 'open') return [`imports ${one.local.name} of lmdb`];
    opens.add(one.local.name);
    return [];
  });
}

function faultsOfCall(call: CallExpression, opens: ReadonlySet<string>): readonly string[] {
  const { callee } = call;
  if (callee.type === 'Identifier' && opens.has(callee.name)) return faultsOfOptions(call.arguments, true);
  const isTable = callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && callee.property.name === 'openDB';
  return isTable ? faultsOfOptions(call.arguments, false) : [];
}

function faultsOfOptions(given: readonly Node[], isRoot: boolean): readonly string[] {
  const [options, ...more] = given;
  if (options?.type !== 'ObjectExpression' || more.length > 0) return ['options that are not one literal object'];
  const said = options.properties.map((one) =>
    one.type === 'Property' ? { name: nameOf(one), value: one.value } : { name: null, value: one },
  );
  const wrong = said.filter(({ name }) => name === null || !(ALLOWED.has(name) || OFF.includes(name)));
  const off = said.filter(({ value }) => value.type === 'Literal' && value.value === false).map(({ name }) => name);
  return [
    ...wrong.map(({ name }) => (name === null ? 'options from elsewhere' : `option ${name}`)),
    ...(isRoot ? OFF : []).filter((name) => !off.includes(name)).map((name) => `${name} is not said to be off`),
  ];
}

/** Null: it follows only when the program runs. */
function nameOf({ key, computed }: ObjectProperty): string | null {
  if (key.type === 'Literal' && typeof key.value === 'string') return key.value;
  return key.type === 'Identifier' && !computed ? key.name : null;
}

function isKey(node: Node, parent: Node | null): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed;
  return parent?.type === 'Property' && parent.key === node && !parent.shorthand;
}

function isLmdb(node: Node): boolean {
  return node.type === 'Literal' && node.value === 'lmdb';
}
