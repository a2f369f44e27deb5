import { basename } from 'node:path';
import test from 'ava';
import { readSources, readText, type Source } from './sources.ts';

const protocol: Source = { path: 'PROTOCOL.md', text: readText('PROTOCOL.md') ?? '' };
const specs = readSources('runtime', (path) => path.endsWith('/SPEC.md'));
const tests = new Set(readSources('test', (path) => /\.(?:test|suite)\.ts$/.test(path)).map(({ path }) => path));
const names = new Set([...tests].map((path) => basename(path)));

/** The rules of a document: list items that begin with their number, in bold. */
function rulesOf({ text }: Source): readonly (readonly [rule: string, says: string])[] {
  const rules = text.matchAll(/^- \*\*([A-Z]\d+)\*\*(.*(?:\n {2}.*)*)/gm);
  return [...rules].map(([, rule = '', says = '']) => [rule, says]);
}

/** The rows of a table of what enforces rules, each with the rules that its first cell names. */
function rowsOf({ text }: Source): readonly { readonly rules: readonly string[]; readonly says: string }[] {
  const rows = text.matchAll(/^\| ([A-Z]\d+(?:, [A-Z]\d+)*)(?: [^|]*)?\|(.*)\|$/gm);
  return [...rows].map(([, rules = '', says = '']) => ({ rules: rules.split(', '), says }));
}

/** `runtime/lease/SPEC.md` is `lease`. */
const moduleOf = ({ path }: Source): string => path.split('/').at(-2) ?? '';

/** The modules that a rule of the protocol says it is kept by. */
function keepersOf(says: string): readonly string[] {
  const [, named = ''] = /^ {2}- \*Kept by:\* (.*)$/m.exec(says) ?? [];
  return named === 'no module yet' ? [] : named.split(', ').toSorted();
}

/** Suites and runs that notice a broken rule, and have a name but no single file. */
const BY_NAME = /\bsimulation\b|\bcontract suite\b|\bthe ledger's suite\b|\bparity test\b/;
const FOLDER = '(?:test/)?((?:unit|integration|e2e|contract|parity|style)(?:/[\\w-]+)+)';

/** The test files that a cell names: `test/unit/worker/holding, polling`, `unit/lease/candidate`, `log.test.ts`. */
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
  t.true(rulesOf(protocol).length >= 44, 'rules of the protocol');
  t.true(specs.flatMap(rulesOf).length >= 28, 'rules of modules');
  t.true(specs.flatMap(rowsOf).length >= 60, 'rows');
  t.true(specs.flatMap(rowsOf).flatMap(({ says }) => testsIn(says)).length >= 90, 'names of tests');
});

test('PROTOCOL.md states each rule from L1 to the highest exactly once', (t) => {
  const numbers = rulesOf(protocol).map(([rule]) => Number(rule.slice(1)));
  t.deepEqual(
    numbers.toSorted((a, b) => a - b),
    Array.from({ length: 46 }, (_, at) => at + 1),
  );
  t.deepEqual(
    rulesOf(protocol).filter(([rule]) => !rule.startsWith('L')),
    [],
  );
});

test('each rule of the protocol tells, in three to six steps, what goes wrong without it', (t) => {
  const steps = rulesOf(protocol).map(([rule, says]) => {
    const [, trace = ''] = /^ {2}- \*Without it:\* ((?:.|\n {4})*)/m.exec(says) ?? [];
    return [rule, [...trace.matchAll(/\((\d)\)\s/g)].map(([, step = '']) => Number(step))] as const;
  });
  for (const [rule, numbers] of steps) {
    t.true(numbers.length >= 3 && numbers.length <= 6, `${rule} has ${numbers.length} steps`);
    t.deepEqual(
      numbers,
      numbers.map((_, at) => at + 1),
    );
  }
});

test('the modules that a rule of the protocol is kept by are those whose SPEC.md has a row for it', (t) => {
  const wrong = rulesOf(protocol).flatMap(([rule, says]) => {
    const keepers = specs.filter((spec) => rowsOf(spec).some(({ rules }) => rules.includes(rule))).map(moduleOf);
    const isLater = keepers.length === 0 && says.replaceAll(/\s+/g, ' ').includes('does not apply yet');
    const isSame = keepers.toSorted().join() === keepersOf(says).join();
    return isSame && (keepers.length > 0 || isLater) ? [] : [`${rule}: rows in ${keepers.join()}, kept by ${keepersOf(says).join()}`];
  });
  t.deepEqual(wrong, []);
});

test('a rule of a module is stated in one SPEC.md, once, and no SPEC.md states a rule of the protocol', (t) => {
  const stated = specs.flatMap(rulesOf).map(([rule]) => rule);
  t.deepEqual(
    stated.filter((rule, at) => rule.startsWith('L') || stated.indexOf(rule) !== at),
    [],
  );
});

for (const spec of specs) {
  test(`${spec.path}: each rule has a row that says what would notice it broken`, (t) => {
    const noticed = new Set(rowsOf(spec).flatMap(({ rules }) => rules));
    t.deepEqual(
      rulesOf(spec).flatMap(([rule]) => (noticed.has(rule) ? [] : [rule])),
      [],
    );
  });

  test(`${spec.path}: each row is about rules that are stated, and names a test`, (t) => {
    const stated = new Set([protocol, spec].flatMap(rulesOf).map(([rule]) => rule));
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

test('a name that is not a test, and a row without one, would be seen', (t) => {
  t.deepEqual(testsIn('`a.ts` (said once); test/unit/worker/holding, no-such; `unit/lease/candidate`; log.test.ts, by hand'), [
    ...['test/unit/worker/holding.test.ts', 'test/unit/worker/no-such.test.ts', 'test/unit/lease/candidate.test.ts', 'log.test.ts'],
  ]);
  t.false(isThere('test/unit/worker/no-such.test.ts'));
  t.true(isThere('log.test.ts'));
  t.deepEqual(testsIn('seen with strace'), []);
});

/** Where a number stands for a rule: not as a value in quotes of its own, nor in a path. */
const CITED = /(?<![\w/.])(?!(?<=['"`])\w+['"`])([CLRW]\d{1,2}(?:\.\d+)?)(?![\w/])/g;

test('each rule that code, tests and documents name by its number is one that is stated', (t) => {
  const stated = new Set([protocol, ...specs].flatMap(rulesOf).map(([rule]) => rule));
  const isText = (path: string): boolean => /\.(?:ts|md)$/.test(path) && !path.includes('/gen/');
  const documents = ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'PROTOCOL.md', 'README.md'];
  const texts = [
    ...['runtime', 'test', 'bench', 'scripts', 'docs'].flatMap((folder) => readSources(folder, isText)),
    ...documents.map((path) => ({ path, text: readText(path) ?? '' })),
  ];
  const cited = texts.flatMap(({ path, text }) => [...text.matchAll(CITED)].map(([, rule = '']) => ({ path, rule })));
  t.true(cited.length >= 500, `only ${cited.length} were seen`);
  t.deepEqual(
    cited.filter(({ rule }) => !stated.has(rule)).map(({ path, rule }) => `${path}: ${rule}`),
    [],
  );
});
