import { existsSync, readFileSync } from 'node:fs';

/**
 * The promise of the whole project, checked without any of its code: each input line is in exactly one of the two outputs, none
 * twice, and the counts are equal. Returns what breaks it, empty when it holds. Only the first `limit` lines count.
 */
export function invariantBreaks(files: OutputFiles, limit: number = Number.POSITIVE_INFINITY): readonly string[] {
  const lines = inputLines(files.input, limit);
  const outputs = [...resultLines(files.output, 'output'), ...resultLines(files.errors, 'errors')];
  const violations = outputs.flatMap((line) => shapeViolations(line));
  const seen = new Map<number, string>();
  for (const one of outputs) {
    const number = lineOf(one, lines);
    if (number === undefined) violations.push(`${one.where}: no input line is called ${JSON.stringify(one.value.custom_id)}`);
    else if (seen.has(number)) violations.push(`input line ${number} is in ${seen.get(number)} and in ${one.where}`);
    else seen.set(number, one.where);
  }
  for (const number of lines.numbers) if (!seen.has(number)) violations.push(`input line ${number} is in neither output`);
  if (lines.numbers.length !== outputs.length) violations.push(`${lines.numbers.length} input lines, ${outputs.length} output lines`);
  return violations;
}

export interface OutputFiles {
  readonly input: string;
  readonly output: string;
  readonly errors: string;
}

/** One line of an output file. */
export interface ResultLine {
  readonly id: string;
  readonly custom_id: string | null;
  readonly response: { readonly status_code: number; readonly request_id: string; readonly body: unknown } | null;
  readonly error: { readonly code: string; readonly message: string; readonly line?: number | null } | null;
}

export function readResults(path: string): readonly ResultLine[] {
  if (!existsSync(path)) return [];
  const text = readFileSync(path, 'utf8');
  if (text !== '' && !text.endsWith('\n')) throw new Error(`${path}: the last line has no end`);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ResultLine);
}

interface Numbered {
  readonly where: string;
  readonly side: 'output' | 'errors';
  readonly value: ResultLine;
}

interface InputLines {
  /** 1-based numbers of the lines that are not blank. */
  readonly numbers: readonly number[];
  readonly firstByCustomId: ReadonlyMap<string, number>;
}

function resultLines(path: string, side: 'output' | 'errors'): readonly Numbered[] {
  return readResults(path).map((value, index) => ({ where: `${side} line ${index + 1}`, side, value }));
}

function inputLines(path: string, limit: number): InputLines {
  const numbers: number[] = [];
  const firstByCustomId = new Map<string, number>();
  for (const [index, line] of readFileSync(path, 'latin1')
    .replace(/^\u00ef\u00bb\u00bf/, '')
    .split('\n')
    .entries()) {
    if (/^[ \t\r]*$/.test(line)) continue;
    if (numbers.length === limit) break;
    numbers.push(index + 1);
    const id = customIdOf(line);
    if (id !== undefined && !firstByCustomId.has(id)) firstByCustomId.set(id, index + 1);
  }
  return { numbers, firstByCustomId };
}

function customIdOf(line: string): string | undefined {
  try {
    const value = JSON.parse(Buffer.from(line, 'latin1').toString('utf8')) as { readonly custom_id?: unknown } | null;
    return typeof value?.custom_id === 'string' ? value.custom_id : undefined;
  } catch {
    return undefined;
  }
}

/** A line that never became an item is named by its number, every other one by its custom_id. */
function lineOf(one: Numbered, lines: InputLines): number | undefined {
  const named = one.value.error?.line;
  if (typeof named === 'number') return lines.numbers.includes(named) ? named : undefined;
  return one.value.custom_id === null ? undefined : lines.firstByCustomId.get(one.value.custom_id);
}

function shapeViolations(one: Numbered): string[] {
  const { response, error, id } = one.value;
  const violations: string[] = [];
  if (typeof id !== 'string' || !id.startsWith('batch_req_')) violations.push(`${one.where}: id ${id}`);
  if (one.side === 'output' && (error !== null || response?.status_code !== 200)) violations.push(`${one.where}: not a success`);
  if (one.side === 'errors' && typeof error?.code !== 'string') violations.push(`${one.where}: no error code`);
  return violations;
}
