import { basename } from 'node:path';
import test from 'ava';
import { readSources, type Source } from './sources.ts';

const specs = readSources('runtime', (path) => path.endsWith('/SPEC.md'));
const tests = new Set(readSources('test', (path) => /\.(?:test|suite)\.ts$/.test(path)).map(({ path }) => path));
const names = new Set([...tests].map((path) => basename(path)));

/** The rules of a SPEC.md: paragraphs that begin with their number, in bold. */
function rulesOf({ text }: Source): ReadonlyMap<string, string> {
  const rules = text.matchAll(/^- \*\*([A-Z]\d+)\*\*(.*(?:\n {2}.*)*)/gm);
  return new Map([...rules].map(([, rule = '', says = '']) => [rule, says]));
}

/** The rows of its table of what enforces them, each with the rules that its first cell names. */
function rowsOf({ text }: Source): readonly { readonly rules: readonly string[]; readonly says: string }[] {
  const rows = text.matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*)(?: [^|]*)?\|(.*)\|$/gm);
  return [...rows].map(([, rules = '', says = '']) => ({ rules: rules.split(', '), says }));
}

/** Suites and runs that notice a broken rule, and have a name but no single file. */
const BY_NAME = /\bsimulation\b|\bcontract suite\b|\bthe ledger's suite\b|\bparity test\b/;
const FOLDER = '(?:test/)?((?:unit|integration|e2e|contract|parity|style)(?:/[\\w-]+)+)';

/** The test files that a cell names: `test/unit/worker/holding, polling`, `unit/lease/keeper`, `log.test.ts`. */
function testsIn(cell: string): readonly string[] {
  const paths = [...cell.matchAll(new RegExp(`\\b${FOLDER}((?:, (?!test/)[\\w/-]+)*)`, 'g'))].flatMap(([, path = '', more = '']) => {
    const folder = path.slice(0, path.lastIndexOf('/'));
    return [
      path,
      ...more
        .split(', ')
        .slice(1)
        .map((name) => `${folder}/${name}`),
    ].map((one) => `test/${one}.test.ts`);
  });
  return [...paths, ...[...cell.matchAll(/(?<![\w/-])[\w-]+\.test\.ts/g)].map(([name]) => name)];
}

const isThere = (name: string): boolean => (name.includes('/') ? tests.has(name) : names.has(name));

test('the rules and their tables were read, and not nothing', (t) => {
  t.true(specs.length >= 5, `only ${specs.length} SPEC.md files were seen`);
  t.true(specs.flatMap((spec) => [...rulesOf(spec).keys()]).length >= 75, 'rules');
  t.true(specs.flatMap(rowsOf).length >= 60, 'rows');
  t.true(specs.flatMap(rowsOf).flatMap(({ says }) => testsIn(says)).length >= 90, 'names of tests');
});

for (const spec of specs) {
  test(`${spec.path}: each rule has a row that says what would notice it broken`, (t) => {
    const noticed = new Set(rowsOf(spec).flatMap(({ rules }) => rules));
    const missing = [...rulesOf(spec)].filter(([rule, says]) => !noticed.has(rule) && !says.includes('does not apply yet'));
    t.deepEqual(
      missing.map(([rule]) => rule),
      [],
    );
  });

  test(`${spec.path}: each row is about rules that stand there, and names a test`, (t) => {
    const stated = rulesOf(spec);
    for (const { rules, says } of rowsOf(spec)) {
      t.deepEqual(
        rules.filter((rule) => !stated.has(rule)),
        [],
      );
      t.true(testsIn(says).length > 0 || BY_NAME.test(says) || /\(`runtime\/\w+`\) \| there /.test(says), `${rules.join(', ')}: ${says}`);
    }
  });

  test(`${spec.path}: the tests that its table names are there`, (t) => {
    t.deepEqual(
      rowsOf(spec).flatMap(({ rules, says }) =>
        testsIn(says)
          .filter((name) => !isThere(name))
          .map((name) => `${rules.join(', ')}: ${name}`),
      ),
      [],
    );
  });
}

test('every rule of the project up to the highest stands in some SPEC.md', (t) => {
  const numbers = new Set(
    specs.flatMap((spec) => [...rulesOf(spec).keys()]).flatMap((rule) => (rule.startsWith('L') ? [Number(rule.slice(1))] : [])),
  );
  t.deepEqual(
    Array.from({ length: 37 }, (_, at) => at + 1).filter((number) => !numbers.has(number)),
    [],
  );
});

test('a name that is not a test, and a row without one, would be seen', (t) => {
  t.deepEqual(testsIn('`a.ts` (said once); test/unit/worker/holding, no-such; `unit/lease/keeper`; log.test.ts, by hand'), [
    ...['test/unit/worker/holding.test.ts', 'test/unit/worker/no-such.test.ts', 'test/unit/lease/keeper.test.ts', 'log.test.ts'],
  ]);
  t.false(isThere('test/unit/worker/no-such.test.ts'));
  t.true(isThere('log.test.ts'));
  t.deepEqual(testsIn('seen with strace'), []);
});
