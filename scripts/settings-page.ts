/**
 * `npm run generate`: makes the tables of docs/settings.md from the declarations in runtime/settings. The page is written to the path that
 * is given; its prose, around the marks, stays as it is.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { BACKEND_TYPE, MOCK, OPENAI } from '../runtime/settings/backend.ts';
import { COORDINATOR } from '../runtime/settings/coordinator.ts';
import type { Setting, Settings } from '../runtime/settings/setting.ts';
import { LEASE_TIMING, TIMING } from '../runtime/settings/timing.ts';
import { WORKER } from '../runtime/settings/worker.ts';

const PAGE = 'docs/settings.md';

const TABLES: Readonly<Record<string, readonly string[]>> = {
  'coordinator.yaml': rowsOf({ ...COORDINATOR, ...TIMING, ...LEASE_TIMING }),
  'worker.yaml': [
    ...rowsOf(WORKER),
    ...rowsOf({ type: BACKEND_TYPE }, 'backend.'),
    ...backendRows('openai', OPENAI),
    ...backendRows('mock', MOCK),
  ],
};

function backendRows(type: string, table: Settings): readonly string[] {
  return rowsOf(table, 'backend.', `${type}: `);
}

function rowsOf(table: Settings, prefix = '', about = ''): readonly string[] {
  return Object.entries(table).map(([path, setting]) => `| \`${prefix}${path}\` | ${defaultOf(setting)} | ${about}${meaningOf(setting)} |`);
}

function defaultOf(setting: Setting): string {
  if (!('default' in setting)) return setting.otherwise ?? 'required';
  const value = setting.default;
  if (value === '') return 'none';
  return typeof value === 'object' ? `\`${JSON.stringify(value)}\`` : `\`${value}\``;
}

function meaningOf(setting: Setting): string {
  const choices = setting.kind === 'choice' ? ` (${setting.choices.map((choice) => `\`${choice}\``).join(', ')})` : '';
  return `${setting.text}${choices}${setting.more ?? ''}`;
}

/** Replaces what stands between the marks of each table. */
function withTables(page: string): string {
  return Object.entries(TABLES).reduce((text, [name, rows]) => {
    const marked = new RegExp(`(<!-- settings of ${name}[^>]* -->\n)[^]*?(<!-- end -->)`);
    if (!marked.test(text)) throw new Error(`${PAGE} has no marks for the settings of ${name}`);
    const table = ['| setting | default | meaning |', '|---|---|---|', ...rows, ''].join('\n');
    return text.replace(marked, (_, start: string, end: string) => `${start}${table}${end}`);
  }, page);
}

writeFileSync(process.argv[2] ?? PAGE, withTables(readFileSync(PAGE, 'utf8')));
