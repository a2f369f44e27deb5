import test from 'ava';
import { importsOf, onlyCode, parsed, runtimeSources, walk } from './sources.ts';

/** The code of a planted text, with each run of blanks as one. */
const codeOf = (text: string): string => onlyCode(text).replaceAll(/ +/g, ' ');

test('comments and what stands in strings, templates and patterns are blanks; all code stays, where it was', (t) => {
  const text = "const a = `x ${ b /* c */ + `${'d'} e` } f`; // g\nconst h = /[/]i/g; const j = k / l / m; n<o>(p as q<r>);";
  t.is(codeOf(text), "const a = ` ${ b + `${' '} ` } `; \nconst h = / /g; const j = k / l / m; n<o>(p as q<r>);");
  t.is(onlyCode(text).length, text.length);
});

test('lines stay lines, also within a template or a comment', (t) => {
  const text = 'const a = `one\ntwo ${b}\nthree`;\n/* four\nfive */ const c = 1;';
  t.deepEqual(
    onlyCode(text)
      .split('\n')
      .map((line) => line.trim()),
    ['const a = `', '${b}', '`;', '', 'const c = 1;'],
  );
});

test('a text that is no TypeScript is refused, not skipped', (t) => {
  t.throws(() => onlyCode('const a = `${;'), { message: /cannot be parsed/ });
});

test('every way to depend on another file is an import', (t) => {
  const text = [
    "import a from './a.ts';",
    "import type { B } from './b.ts';",
    "import { type C } from './c.ts';",
    "import './d.ts';",
    "export { e } from './e.ts';",
    "export type { F } from './f.ts';",
    "export * from '../g.ts';",
    'const h = `${a}`; const i = await import("node:fs");',
    "type J = import('@grpc/grpc-js').Client;",
    'const text = "import k from \'./k.ts\';";',
  ];
  t.deepEqual(
    importsOf({ path: 'runtime/x/planted.ts', text: text.join('\n') }).map(({ of, isType }) => `${of}${isType ? ' (type)' : ''}`),
    [
      ...['runtime/x/a.ts', 'runtime/x/b.ts (type)', 'runtime/x/c.ts', 'runtime/x/d.ts', 'runtime/x/e.ts'],
      ...['runtime/x/f.ts (type)', 'runtime/g.ts', 'node:fs', '@grpc/grpc-js (type)'],
    ],
  );
});

test('every function of the runtime is seen by the gates, and none is lost behind a template', (t) => {
  let functions = 0;
  let files = 0;
  const lost: string[] = [];
  for (const { path, text } of runtimeSources()) {
    files += 1;
    const code = onlyCode(text);
    walk(parsed(text).program, (node) => {
      if (!/^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type) || !('body' in node)) return;
      functions += 1;
      const [open, close] = [text.slice(node.start, node.start + 1), text.slice(node.end - 1, node.end)];
      if (/\w/.test(open) && code[node.start] !== open) lost.push(`${path}: ${text.slice(node.start, node.start + 60)}`);
      if (close === '}' && code[node.end - 1] !== close) lost.push(`${path}: ${text.slice(node.start, node.start + 60)}`);
    });
  }
  t.deepEqual(lost, []);
  t.true(files >= 220, `only ${files} files were seen`);
  t.true(functions >= 2_000, `only ${functions} functions were seen`);
});
