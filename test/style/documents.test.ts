import test from 'ava';
import { ERRORS } from '../../runtime/base/errors.ts';
import { EXIT } from '../../runtime/base/exit.ts';
import { EXIT_MEANINGS } from '../../runtime/cli/exit-codes.ts';
import { EVENT_LEVELS } from '../../runtime/model/event.ts';
import { readSources, readText, runtimeSources } from './sources.ts';

/** Rows of the tables in a document whose first cell is code: | `NAME` | … | */
function rowsOf(path: string): ReadonlyMap<string, string> {
  const text = readText(path) ?? '';
  const rows = text.matchAll(/^\|\s*`([^`]+)`\s*\|(.*)$/gm);
  return new Map([...rows].map(([, name = '', rest = '']) => [name, rest]));
}

test('docs/errors.md lists every error code with its exit code, and no other', (t) => {
  const rows = rowsOf('docs/errors.md');
  t.deepEqual([...rows.keys()].toSorted(), Object.keys(ERRORS).toSorted());
  const wrong = Object.entries(ERRORS).filter(([code, { exit }]) => !new RegExp(`\\|?\\s*\`?${exit}\`?\\s*\\|`).test(rows.get(code) ?? ''));
  t.deepEqual(
    wrong.map(([code, { exit }]) => `${code} should say exit ${exit}`),
    [],
  );
});

test('docs/events.md lists every event with its level, and no other', (t) => {
  const rows = rowsOf('docs/events.md');
  t.deepEqual([...rows.keys()].toSorted(), Object.keys(EVENT_LEVELS).toSorted());
  const wrong = Object.entries(EVENT_LEVELS).filter(([kind, level]) => !new RegExp(`\\b${level}\\b`).test(rows.get(kind) ?? ''));
  t.deepEqual(
    wrong.map(([kind, level]) => `${kind} should say ${level}`),
    [],
  );
});

test('README.md lists every exit code', (t) => {
  const readme = readText('README.md') ?? '';
  const missing = Object.entries(EXIT).filter(([, code]) => !new RegExp(`^\\|\\s*\`?${code}\`?\\s*\\|`, 'm').test(readme));
  t.deepEqual(missing, []);
});

test('README.md says of each exit code what the help texts say', (t) => {
  const rows = [...(readText('README.md') ?? '').matchAll(/^\| (\d+) \| (.*) \|$/gm)].map(([, code = '', meaning = '']) => [code, meaning]);
  t.deepEqual(Object.fromEntries(rows), { ...EXIT_MEANINGS });
  const missing = Object.values(EXIT).filter((code) => EXIT_MEANINGS[code] === undefined);
  t.deepEqual(missing, []);
});

test('every rule that code or tests cite stands in PROTOCOL.md', (t) => {
  const stated = new Set([...(readText('PROTOCOL.md') ?? '').matchAll(/^- \*\*(L\d+)\*\*/gm)].map(([, rule = '']) => rule));
  t.true(stated.size >= 44, `only ${stated.size} rules were seen`);
  const citing = [...runtimeSources(), ...readSources('test', (path) => path.endsWith('.test.ts'))];
  const wrong = citing
    .flatMap((file) => rulesIn(file.text).map((rule) => ({ rule, path: file.path })))
    .filter(({ rule }) => !stated.has(rule));
  t.deepEqual(
    wrong.map(({ rule, path }) => `${path} cites ${rule}`),
    [],
  );
});

function rulesIn(text: string): readonly string[] {
  return [...text.matchAll(/\bL\d{1,2}\b/g)].map((rule) => rule[0]);
}
