import type { Difference } from '../../run-dir/run-settings.ts';
import type { Refusal } from './identity-verdict.ts';

/** The table of what differs between the run that was found and the one that is wanted, and the ways on. Pure. */
export function identityTable(stateDir: string, differences: readonly Difference[], why: Refusal): string {
  const rows = [{ name: '', found: 'the run that is there', wanted: 'this command' }, ...differences];
  const width = (key: 'name' | 'found'): number => Math.max(...rows.map((row) => row[key].length));
  const [names, found] = [width('name'), width('found')];
  const table = rows.map((row) => `  ${row.name.padEnd(names)}  ${row.found.padEnd(found)}  ${row.wanted}`.trimEnd());
  return [`${stateDir} holds another run than this command asks for:`, ...table, ...WAYS_ON[why]].join('\n');
}

const WAYS_ON: Readonly<Record<Refusal, readonly string[]>> = {
  differs: [
    'Give the command that began it to go on with it, --fresh to move it aside and start over, or --force to go on with it in spite of this',
    '(what is recorded stays as it is; the list of items can be another one only while nothing of the old one was handed out).',
  ],
  model: [
    'Add --force to go on with the new model: what is recorded stays as it is. Or give the command that began the run, or --fresh to move',
    'it aside and start over.',
  ],
  grown: [
    'Lines were added to the list: add --extend to run them too. It proves that the old lines are unchanged, and what is recorded stays.',
    'Or give the command that began the run, or --fresh to move it aside and start over. --force does not mix two lists.',
  ],
  raised: [
    'The limit was raised: add --extend to run the further lines too. What is recorded stays.',
    'Or give the command that began the run, or --fresh to move it aside and start over. --force does not mix two lists.',
  ],
  'handed-out': [
    'Items of the old list were handed out, and --force does not mix two lists: give the list and the options that began the run to go on',
    'with it, --extend where lines were only added at the end, or --fresh to move it aside and start over.',
  ],
};
