import test from 'ava';
import { importsOf, onlyCode, places, runtimeSources } from './sources.ts';

/** Where the world begins. Everywhere else, time, chance and settings are arguments. */
const isEdge = (path: string): boolean => path.startsWith('runtime/base/') || path.endsWith('/main.ts');

const inner = runtimeSources().filter((file) => !isEdge(file.path));

const EDGE_CALLS = [
  /\bprocess\.(?:env|argv|on|once|exit)\b/,
  /\bDate\.now\b/,
  /\bnew Date\(\)/,
  /\bMath\.random\b/,
  /\bperformance\.now\b/,
  /(?<![.\w])set(?:Timeout|Interval|Immediate)\b/,
  /\bcrypto\.randomUUID\b/,
];

for (const call of EDGE_CALLS) {
  test(`only base and main.ts call ${call.source}`, (t) => {
    t.deepEqual(
      inner.flatMap((file) => places(file, call, onlyCode(file.text))),
      [],
    );
  });
}

test('timers are not imported by another way', (t) => {
  const wrong = inner.flatMap(importsOf).filter((one) => /^node:(?:timers|perf_hooks|process)/.test(one.of));
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('the edges were looked for in the tree, not in nothing', (t) => {
  t.true(inner.length >= 30, `only ${inner.length} files were seen`);
  const planted = { path: 'planted.ts', text: "// Date.now in a comment\nconst text = 'Math.random';\nconst at = Date.now();\n" };
  t.deepEqual(EDGE_CALLS.flatMap((call) => places(planted, call, onlyCode(planted.text))).length, 1);
});
