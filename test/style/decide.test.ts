import test from 'ava';
import { DECIDE, PLAIN } from './decide-table.ts';
import { importsOf, onlyCode, operatorSources, places, readText, runtimeSources, type Source } from './sources.ts';

/** What even a deciding file may use of Node and of others: functions of their arguments alone. */
const PURE_PACKAGES = new Set(['node:buffer', 'node:crypto', 'node:path', 'node:url', '@bufbuild/protobuf', 'zod']);

const files = [...runtimeSources(), ...operatorSources()];
const names = Object.entries(DECIDE).flatMap(([folder, own]) => own.map((name) => `${folder}/${name}`));
const decide = new Set(names.map(pathOf));
const deciding = files.filter((file) => decide.has(file.path));

/** Rooms of the runtime are called by their path within it, those of the operator by their whole path. */
function pathOf(name: string): string {
  return name.startsWith('operator/') ? `${name}.ts` : `runtime/${name}.ts`;
}

function isOwn(path: string): boolean {
  return /^(?:runtime|operator)\//.test(path);
}

function isWords(path: string): boolean {
  return /^runtime\/(?:base|model|rpc\/gen)\//.test(path) || path.endsWith('/contract.ts');
}

/** What makes a file more than a decision: waiting, a package that reaches out, the process, or a file that does so. */
function reachesOut(file: Source): boolean {
  const packages = importsOf(file).filter((one) => !one.isType && !isOwn(one.of));
  return packages.some((one) => !PURE_PACKAGES.has(one.of)) || /\basync\b|\bawait\b|\bnew Promise\b|\bprocess\./.test(onlyCode(file.text));
}

test('every deciding file of the table exists', (t) => {
  t.deepEqual(
    [...decide].filter((path) => !files.some((file) => file.path === path)),
    [],
  );
});

test('a deciding file imports only base, model, contracts and what decides or is plain as well', (t) => {
  const wrong = deciding.flatMap(importsOf).filter((one) => {
    const isPlain = PLAIN.includes(one.of.replace(/^runtime\/|\.ts$/g, ''));
    return !one.isType && !isWords(one.of) && !isPlain && !decide.has(one.of) && !PURE_PACKAGES.has(one.of) && !holdsOnlyTypes(one.of);
  });
  t.deepEqual(
    wrong.map((one) => `${one.from} imports ${one.of}`),
    [],
  );
});

test('a deciding file waits for nothing', (t) => {
  t.deepEqual(
    deciding.flatMap((file) => places(file, /\basync\b|\bawait\b|\bnew Promise\b/, onlyCode(file.text))),
    [],
  );
});

for (const name of names) {
  test(`${name} has a unit test that asserts something`, (t) => {
    const text = readText(`test/unit/${name}.test.ts`);
    t.truthy(text, `test/unit/${name}.test.ts does not exist`);
    t.regex(text ?? '', /\bt\.(?:is|deepEqual|like|true|throws|regex|notThrows)\(/);
  });
}

test('what takes in a fact takes its state first, the time right behind it, and then what has happened', (t) => {
  const handlers = files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export function (on[A-Z]\w*)(?:<[^>]*>)?\(([^)]*\bnowMs: number\b[^)]*)\)/gm)].map(([, name, given = '']) => ({
      place: `${path} ${name}`,
      given: given.replaceAll(/\{[^}]*\}/g, 'state').split(','),
    })),
  );
  t.true(handlers.length >= 25, `only ${handlers.length} were seen`);
  t.deepEqual(
    handlers.filter(({ given }) => given[1]?.trim() !== 'nowMs: number').map(({ place }) => place),
    [],
  );
});

test('no file that decides is missing from the table', (t) => {
  const known = new Set([...decide, ...PLAIN.map(pathOf)]);
  const missing = files.filter(
    (file) => !isWords(file.path) && !holdsOnlyTypes(file.path) && !performs(file.path) && !known.has(file.path),
  );
  t.deepEqual(
    missing.map((file) => file.path),
    [],
  );
});

/** A file reaches out, or calls one that does. Import cycles are refused elsewhere, so this ends. */
function performs(path: string): boolean {
  const file = files.find((one) => one.path === path);
  if (file === undefined) return false;
  return reachesOut(file) || importsOf(file).some((one) => !one.isType && performs(one.of));
}

/** Interfaces, types and constants: no function of its own. */
function holdsOnlyTypes(path: string): boolean {
  const code = onlyCode(files.find((file) => file.path === path)?.text ?? '');
  return !/\bfunction\b|\bclass\b|^(?:export )?const [^\n]*=>/m.test(code);
}
