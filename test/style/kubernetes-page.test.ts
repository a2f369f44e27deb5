import test from 'ava';
import { CONDITION, REASON } from '../../operator/api/names.ts';
import { SIGNAL_ROWS, type SignalRow } from '../../operator/nodes/signals.ts';
import { PROVIDER_TIMES } from '../../runtime/model/hint.ts';
import { operatorSources, parsed, readText, type Source, walk } from './sources.ts';

/** docs/kubernetes.md says what the operator's tables say. */

const page = readText('docs/kubernetes.md') ?? '';

/** The rows of the first table below a heading, each as its cells. */
function tableBelow(heading: string): readonly (readonly string[])[] {
  const [, below = ''] = page.split(`\n${heading}\n`);
  const [table = ''] = /^\|.*\|$(?:\n\|.*\|$)*/m.exec(below) ?? [];
  return table
    .split('\n')
    .slice(2)
    .map((row) => row.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
}

const first = (rows: readonly (readonly string[])[]): readonly string[] => rows.map(([cell = '']) => cell.replaceAll('`', ''));
const wordsIn = (cell: string): readonly string[] => [...cell.matchAll(/`(\w+)`/g)].map(([, word = '']) => word);

test('the table of signals is that of the operator, row by row', (t) => {
  const rows = tableBelow('### Signals that are built in');
  t.true(rows.length >= 20);
  t.deepEqual(rows, SIGNAL_ROWS.map(cellsOf));
});

function cellsOf(row: SignalRow): readonly string[] {
  const { kind, key, value = kind === 'taint' ? 'any' : 'True', message, severity, provider, isSilence = false } = row;
  const seen = message === undefined ? value : `${value}, with "${message}" in its message`;
  return [`\`${key}\``, kind, seen, isSilence ? `${severity}, unless a worker there is heard` : severity, provider ?? '', mostOf(row)];
}

/** How long a drain may take. */
function mostOf({ severity, provider, leadSeconds, deadlineFrom }: SignalRow): string {
  if (severity !== 'drain') return '';
  const seconds = provider === undefined ? leadSeconds : PROVIDER_TIMES[provider].drainMs / 1_000;
  const most = seconds === undefined ? '' : `${seconds} s`;
  return deadlineFrom === undefined ? most : `${most}, and not beyond the time in its message`;
}

test('the tables of conditions and reasons have each word that the operator uses, in its order, and no other', (t) => {
  t.deepEqual(first(tableBelow('### Conditions')), Object.values(CONDITION));
  t.deepEqual(first(tableBelow('### Reasons')), Object.values(REASON));
});

test('each reason is said to be one of conditions that there are, or of an Event, and each condition has reasons', (t) => {
  const told = tableBelow('### Reasons').map(([reason = '', of = '', meaning = '']) => ({ reason, types: wordsIn(of), meaning }));
  for (const { reason, types, meaning } of told) {
    t.true(types.length > 0 || /\bEvent\b/.test(meaning), reason);
    for (const type of types) t.true(Object.values<string>(CONDITION).includes(type), `${reason}: ${type}`);
  }
  const reasonless = Object.values(CONDITION).filter((type) => told.filter(({ types }) => types.includes(type)).length < 2);
  t.deepEqual(reasonless, []);
});

test('no word is kept for conditions and Events that no code gives', (t) => {
  const given = new Set(
    operatorSources()
      .filter(({ path }) => path.startsWith('operator/rollout/'))
      .flatMap(givenIn),
  );
  t.deepEqual(
    [...Object.entries(CONDITION), ...Object.entries(REASON)].filter(([key, word]) => !given.has(key) && !given.has(word)),
    [],
  );
});

/** What a file gives to others: members of the two tables by their keys, and words as values. Words that are compared or typed do not count. */
function givenIn({ text }: Source): readonly string[] {
  const found: string[] = [];
  walk(parsed(text).program, (node, parent) => {
    const isTable =
      node.type === 'MemberExpression' && node.object.type === 'Identifier' && /^(?:CONDITION|REASON)$/.test(node.object.name);
    if (isTable && node.property.type === 'Identifier') found.push(node.property.name);
    const isValue = parent?.type === 'Property' || parent?.type === 'ConditionalExpression';
    if (isValue && node.type === 'Literal' && typeof node.value === 'string') found.push(node.value);
  });
  return found;
}
