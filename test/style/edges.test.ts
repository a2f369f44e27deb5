import test from 'ava';
import { edgeUses } from './edge-uses.ts';
import { importsOf, operatorSources, runtimeSources } from './sources.ts';

/** Everywhere else, time, chance and settings are arguments. */
const isEdge = (path: string): boolean => path.startsWith('runtime/base/') || path.endsWith('/main.ts');

const all = [...runtimeSources(), ...operatorSources()];
const inner = all.filter((file) => !isEdge(file.path));

test('only base and main.ts reach for time, chance, environment and the process', (t) => {
  t.deepEqual(inner.flatMap(edgeUses), []);
});

test('timers are not imported by another way', (t) => {
  const wrong = inner.flatMap(importsOf).filter((one) => /^node:(?:timers|perf_hooks|process)/.test(one.of));
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('the edges were looked for in the tree, not in nothing', (t) => {
  t.true(inner.length >= 180, `only ${inner.length} files were seen`);
  const uses = all.filter((file) => isEdge(file.path)).flatMap(edgeUses);
  t.true(uses.length >= 15, `only ${uses.length} uses were seen where they are allowed`);
});

const SEEN: readonly string[] = [
  'const at = Date.now();',
  'const at = Date?.now();',
  "const at = Date['now']();",
  'const at = Date[`now`]();',
  'const at = Date[name]();',
  'const at = globalThis.Date.now();',
  "const at = globalThis['Date'].now();",
  'const at = (Date as Clock).now();',
  'const { now } = Date;',
  'const clock = Date;',
  'const read = at(Date);',
  'const at = new Date();',
  'const at = new Date;',
  'const at = Date();',
  'const chance = Math.random();',
  'const chance = [0].map(Math.random);',
  'const { env } = process;',
  'const { ...everything } = process;',
  "const home = process.env['HOME'];",
  "process.once('SIGTERM', stop);",
  'const at = performance.now();',
  'setTimeout(stop, 1);',
  'const later = setTimeout;',
  'globalThis.setTimeout(stop, 1);',
  'run({ setTimeout });',
  'const { setTimeout: later } = globalThis;',
  'const id = crypto.randomUUID();',
];

/** What may stand before a use and must not hide it. Each is a whole statement; the use follows in the same and in the next line. */
const BEFORE: readonly string[] = [
  '',
  'const text = `a ${value} b`;',
  'const text = `a ${`in ${value} it`} b`;',
  'const text = `a ${/* it is */ value} b // c`;',
  'const text = `${value}`;',
  "const text = `it's ${value}`;",
  'const text = `a \\` ${value} \\${`;',
  'const pattern = /[/\'"`]/;',
  'const pattern = /`/g;',
  'const pattern = /\\/\\*/;',
  'const share = total / count / 2;',
  'const share = list[0] / 2; /* half */',
  "if (isOne) /it's/.test(text);",
  'const made = make<Map<string, Set<number>>>(value);',
  'const cast = value as Array<`a${string}`>;',
  "const quote = '\\'';",
  '/* a `comment` with ${all} of "it\' */',
  "label: for (const one of '`${') break label;",
];

for (const [at, before] of BEFORE.entries()) {
  test(`a planted use is seen behind (${at + 1}): ${before}`, (t) => {
    for (const use of SEEN) {
      t.is(edgeUses({ path: 'planted.ts', text: `${before} ${use}` }).length > 0, true, use);
      t.is(edgeUses({ path: 'planted.ts', text: `${before}\n{\n${use}\n}` }).length > 0, true, use);
    }
  });
}

test('a planted use is seen within the value of a template', (t) => {
  t.deepEqual(edgeUses({ path: 'planted.ts', text: 'const a = 1;\nconst text = `at ${`(${Date.now()})`}`;' }), ['planted.ts:2: Date.now']);
});

test('what only looks like a use is none', (t) => {
  const harmless = [
    '// Date.now in a comment',
    "const text = 'Math.random';",
    'const text = `Date.now() ${value} setTimeout(`;',
    'const pattern = /process.env/;',
    'const at = new Date(wallMs);',
    'const at = Date.parse(text);',
    'const most = Math.max(a, b);',
    'const is = at instanceof Date;',
    'type Timer = typeof setTimeout;',
    'interface Deps { readonly process: number; setTimeout(): void }',
    'clock.setTimeout(stop, 1);',
    'const pid = process.pid;',
    'const words = { process: 1, env: 2 };',
  ];
  t.deepEqual(edgeUses({ path: 'planted.ts', text: harmless.join('\n') }), []);
});
