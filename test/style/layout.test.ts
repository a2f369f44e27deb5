import { readdirSync } from 'node:fs';
import test from 'ava';
import { operatorSources, places, readSources, readText, runtimeSources, type Source } from './sources.ts';

/** More is two ideas in one file. */
const MAX_LINES = 250;
const ANONYMOUS_NAMES = /(?:^|\/)(?:index|utils?|helpers?|common|misc|shared|types)\.(?:ts|js)$/;

const isText = (path: string): boolean => /\.(?:ts|js|json|ya?ml|md|sh|proto)$/.test(path);
const code = [...runtimeSources(), ...operatorSources(), ...['test', 'scripts', 'bench'].flatMap((folder) => readSources(folder, isText))];
const documents = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'Makefile', 'package.json'];
const texts: readonly Source[] = [
  ...code,
  ...readSources('proto', (path) => path.endsWith('.proto')),
  ...readSources('runtime', (path) => path.endsWith('.md') || path.endsWith('.js')),
  ...documents.flatMap((path) => {
    const text = readText(path);
    return text === undefined ? [] : [{ path, text }];
  }),
];
/** The rules themselves name what they forbid. */
const ruled = texts.filter((file) => !file.path.startsWith('test/style/'));

test('the rules are held against the tree, not against nothing', (t) => {
  t.true(texts.length >= 80, `only ${texts.length} files were seen`);
});

test('a file is named after the noun or verb that it owns', (t) => {
  t.deepEqual(
    code.map((file) => file.path).filter((path) => ANONYMOUS_NAMES.test(path)),
    [],
  );
});

test(`no file of code is longer than ${MAX_LINES} lines`, (t) => {
  const long = code.filter((file) => /\.(?:ts|js)$/.test(file.path) && file.text.trimEnd().split('\n').length > MAX_LINES);
  t.deepEqual(
    long.map((file) => `${file.path}: ${file.text.trimEnd().split('\n').length} lines`),
    [],
  );
});

test('no test is skipped, planned or alone', (t) => {
  const tests = ruled.filter((file) => file.path.endsWith('.test.ts'));
  t.deepEqual(
    tests.flatMap((file) => places(file, /\btest(?:\.\w+)*\.(?:skip|only|todo|failing)\b/)),
    [],
  );
});

test('every test file is a test file by name, and lies where its lane looks', (t) => {
  const importers = code.filter((file) => file.path.startsWith('test/') && /^import test(?:,| )/m.test(file.text));
  t.deepEqual(
    importers.map((file) => file.path).filter((path) => !path.endsWith('.test.ts')),
    [],
  );
});

/** Where a tool or a reader looks for each of them. */
const ROOT_FILES =
  '.dockerignore .editorconfig .gitattributes .gitignore .oxlintrc.json ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md Dockerfile LICENSE Makefile PROTOCOL.md README.md ava.config.js biome.json buf.gen.yaml buf.yaml kind-config.yaml knip.json package-lock.json package.json tsconfig.json';

test('the root holds nothing that was left there by a command', (t) => {
  // What `make run` writes is in .gitignore; in a worktree .git is a file.
  const files = readdirSync('.', { withFileTypes: true }).filter((one) => one.isFile() && !/^(?:answers.*\.jsonl|\.git)$/.test(one.name));
  t.deepEqual(files.map(({ name }) => name).sort(), ROOT_FILES.split(' '));
});

test('nothing is left for later in the sources', (t) => {
  t.deepEqual(
    ruled.flatMap((file) => places(file, /(?<!# |SKIP\|)\b(?:TODO|FIXME|XXX|HACK)\b/)),
    [],
  );
});

test('no checker is silenced without a reason', (t) => {
  t.deepEqual(
    ruled.flatMap((file) => places(file, /@ts-(?:ignore|nocheck)|@ts-expect-error\s*$|biome-ignore [^:]+:\s*$|(?:oxlint|eslint)-disable/)),
    [],
  );
});

test('no path of one machine and no document from outside the project', (t) => {
  t.deepEqual(
    ruled.flatMap((file) => places(file, /(?:\/home\/\w|\/Users\/\w|\/root\/|\/work\/|[A-Z]:\\\\)|\b(?:DESIGN|STYLE\.md|SPEC-rules)\b/)),
    [],
  );
});
