import type { Subject } from './contract.ts';
import { FIGURES, type FigureName } from './figures.ts';
import type { PartResult, Results } from './results.ts';
import { MOST_FOREIGN_CORES, type Row, rowsOf, type Spread } from './statistics.ts';

/** The table of the README. */

const COLUMNS: Readonly<Record<Subject, string>> = { rollout: 'Rollout', bare: 'bare path', bullmq: 'BullMQ 5' };
const BEGIN = '<!-- written by make bench: begin -->';
const END = '<!-- written by make bench: end -->';
const MARK = ' \\*';

export function tableText(results: Results): string {
  const parts = Object.values(results.parts);
  const head = ['what', 'figure', ...Object.values(COLUMNS), `to the ${COLUMNS.bare}`, `to ${COLUMNS.bullmq}`];
  const lines = parts.flatMap(({ rounds }) => rowsOf(rounds).map((row, n, all) => lineOf(row, all[n - 1]?.load === row.load)));
  return [...originOf(parts), '', rowText(head), rowText(head.map(() => '---')), ...lines.map(rowText), '', footnote()].join('\n');
}

/** The text with `table` between the markers; null where it has no such markers. */
export function withTable(text: string, table: string): string | null {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin === -1 || end < begin) return null;
  return `${text.slice(0, begin + BEGIN.length)}\n${table}\n${text.slice(end)}`;
}

/** Where and when: once for all parts that were measured alike. */
function originOf(parts: readonly PartResult[]): readonly string[] {
  const origins = new Set(parts.map(({ day, machine, scale }) => `Measured ${day} (${scale}) on ${machine}.`));
  return [...origins];
}

function lineOf({ load, figure, values, ratios, markedRounds }: Row, isSameLoad: boolean): readonly string[] {
  const cells = (['rollout', 'bare', 'bullmq'] as const).map((subject) => spreadText(values[subject], figure));
  const mark = markedRounds > 0 ? MARK : '';
  return [isSameLoad ? '' : `${load}${mark}`, FIGURES[figure].label ?? '', ...cells, ratioText(ratios.bare), ratioText(ratios.bullmq)];
}

function spreadText(spread: Spread | undefined, figure: FigureName): string {
  if (spread === undefined) return '';
  const text = (value: number): string => numberText(value, FIGURES[figure].digits);
  const { median, least, most } = spread;
  return least === most ? text(median) : `${text(median)} (${text(least)}–${text(most)})`;
}

function ratioText(ratio: number | undefined): string {
  return ratio === undefined || Number.isNaN(ratio) ? '' : `${numberText(ratio, 2)} ×`;
}

function numberText(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function rowText(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function footnote(): string {
  return `Medians, with the least and the most of all rounds. ${MARK.trim()} In at least one round others used more than ${MOST_FOREIGN_CORES} of a core.`;
}
