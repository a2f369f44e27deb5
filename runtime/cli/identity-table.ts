import type { Difference } from '../input/identity.ts';

/** The table of what differs between the run that was found and the one that is wanted. Pure. */
export function identityTable(stateDir: string, differences: readonly Difference[]): string {
  const rows = [{ name: '', found: 'the run that is there', wanted: 'this command' }, ...differences];
  const width = (key: 'name' | 'found'): number => Math.max(...rows.map((row) => row[key].length));
  const [names, found] = [width('name'), width('found')];
  const table = rows.map((row) => `  ${row.name.padEnd(names)}  ${row.found.padEnd(found)}  ${row.wanted}`.trimEnd());
  return [
    `${stateDir} holds another run than this command asks for:`,
    ...table,
    'Give the command that began it to go on with it, --fresh to move it aside and start anew, or --force to go on with it in spite of this',
    '(what is recorded stays as it is).',
  ].join('\n');
}
