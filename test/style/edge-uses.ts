import type { MemberExpression, Node, ObjectPattern } from 'oxc-parser';
import { parsed, type Source, walk } from './sources.ts';

/** Where the world begins: what of the global objects reaches for time, chance, environment or the process. */
const FORBIDDEN: Readonly<Record<string, readonly string[]>> = {
  process: ['env', 'argv', 'on', 'once', 'addListener', 'exit', 'hrtime', 'uptime'],
  Date: ['now'],
  Math: ['random'],
  performance: ['now', 'timeOrigin'],
  crypto: ['randomUUID', 'getRandomValues'],
};
const TIMERS = ['setTimeout', 'setInterval', 'setImmediate'];
const GLOBAL_OBJECTS = ['globalThis', 'global'];

/** Each use of the edges in a file, as "path:line: what", in whatever way it is written. */
export function edgeUses(source: Source): readonly string[] {
  const uses: string[] = [];
  const { program } = parsed(source.text);
  const own = new Set<string>();
  walk(program, (node, parent) => {
    if (node.type === 'Identifier' && parent !== null && declares(parent, node)) own.add(node.name);
  });
  walk(program, (node, parent) => {
    if (node.type === 'Identifier' && own.has(node.name)) return;
    const use = useOf(node, parent);
    if (use !== null) uses.push(`${source.path}:${lineOf(source.text, node.start)}: ${use}`);
  });
  return uses;
}

/** A parameter or variable of that name: where it is used, it is not the global one. */
function declares(parent: Node, node: Node): boolean {
  if (parent.type === 'VariableDeclarator') return parent.id === node;
  return 'params' in parent && Array.isArray(parent.params) && (parent.params as readonly Node[]).includes(node);
}

function useOf(node: Node, parent: Node | null): string | null {
  if (node.type === 'MemberExpression') return useOfMember(node);
  if (node.type === 'VariableDeclarator' && node.id.type === 'ObjectPattern') return useOfPattern(node.id, globalOf(node.init));
  if (node.type === 'NewExpression' && node.arguments.length === 0 && globalOf(node.callee) === 'Date') return 'new Date()';
  if (node.type === 'CallExpression' && globalOf(node.callee) === 'Date') return 'Date()';
  if (node.type === 'Identifier') return useOfName(node.name, node, parent);
  return null;
}

function useOfMember(node: MemberExpression): string | null {
  const owner = globalOf(node.object);
  if (owner === null) return null;
  const name = memberName(node);
  const isForbidden = isGlobalObject(owner) ? name === null || TIMERS.includes(name) : name === null || FORBIDDEN[owner]?.includes(name);
  return isForbidden === true ? `${owner}.${name ?? '[…]'}` : null;
}

/** `const { now } = Date` and `const { ...all } = process`. */
function useOfPattern(pattern: ObjectPattern, owner: string | null): string | null {
  if (owner === null) return null;
  for (const one of pattern.properties) {
    const name = one.type === 'Property' && one.key.type === 'Identifier' && !one.computed ? one.key.name : null;
    if (name === null || FORBIDDEN[owner]?.includes(name) === true || isGlobalObject(owner)) return `{ ${name ?? '…'} } of ${owner}`;
  }
  return null;
}

/** A timer by its name, or one of the global objects that gets another name or goes elsewhere. */
function useOfName(name: string, node: Node, parent: Node | null): string | null {
  if (parent === null || isNoReference(node, parent)) return null;
  if (TIMERS.includes(name)) return name;
  if (!(name in FORBIDDEN) && !isGlobalObject(name)) return null;
  return isPlainUse(node, parent) ? null : `${name} under another name`;
}

/** Names of members and keys, what is declared or imported, and types. */
function isNoReference(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.property === node && !parent.computed;
  if (parent.type === 'Property') return parent.key === node && !parent.computed && !parent.shorthand;
  return parent.type.startsWith('TS') || parent.type.startsWith('Import') || DECLARING.has(parent.type);
}
const DECLARING = new Set(['MethodDefinition', 'PropertyDefinition', 'ExportSpecifier', 'LabeledStatement']);

/** Where the other rules look: `Date.now`, `new Date(at)`, `const { env } = process`, `x instanceof Date`, and parameters of that name. */
function isPlainUse(node: Node, parent: Node): boolean {
  if (parent.type === 'MemberExpression') return parent.object === node;
  if (parent.type === 'NewExpression' || parent.type === 'CallExpression') return parent.callee === node;
  if (parent.type === 'BinaryExpression') return parent.operator === 'instanceof' || parent.operator === 'in';
  if (parent.type === 'VariableDeclarator') return parent.init === node && parent.id.type === 'ObjectPattern';
  return parent.type === 'UnaryExpression' && parent.operator === 'typeof';
}

/** The global object that an expression names: `Date`, `globalThis.Date`, `globalThis['Date']`. Null for everything else. */
function globalOf(node: Node | null): string | null {
  if (node === null) return null;
  if (node.type === 'ParenthesizedExpression' || node.type === 'TSAsExpression' || node.type === 'TSNonNullExpression')
    return globalOf(node.expression);
  if (node.type === 'Identifier') return node.name in FORBIDDEN || isGlobalObject(node.name) ? node.name : null;
  if (node.type !== 'MemberExpression' || globalOf(node.object) === null || !isGlobalObject(globalOf(node.object) ?? '')) return null;
  const name = memberName(node);
  return name !== null && (name in FORBIDDEN || isGlobalObject(name)) ? name : null;
}

/** Null: it follows only when the program runs. */
function memberName({ property, computed }: MemberExpression): string | null {
  if (!computed) return property.type === 'Identifier' ? property.name : '#private';
  if (property.type === 'Literal') return typeof property.value === 'string' ? property.value : '';
  const isWhole = property.type === 'TemplateLiteral' && property.expressions.length === 0;
  return isWhole ? (property.quasis[0]?.value.cooked ?? null) : null;
}

function isGlobalObject(name: string): boolean {
  return GLOBAL_OBJECTS.includes(name);
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}
