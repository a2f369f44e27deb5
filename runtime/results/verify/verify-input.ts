import { parseOutputLine } from '../../format/output-line.ts';
import { RecordFetcher } from '../log/fetch.ts';
import { type Location, Locations } from '../log/locations.ts';
import type { Locator } from '../log/locator.ts';
import { expectedRecord, recordMismatch, recordProblem } from '../log/record-check.ts';
import { batched } from '../log/records.ts';
import type { PlaceReads } from '../place/contract.ts';
import type { InputLine } from './input-lines.ts';
import type { Violations } from './violations.ts';
import { named } from './violations.ts';

interface Recorded {
  readonly line: InputLine;
  readonly location: Location;
}

/** Each input line has an outcome in the ledger, and its frame is a record of exactly this line. */
export async function checkInputBatch(
  options: { readonly place: PlaceReads; readonly inputPath: string },
  locator: Locator,
  lines: readonly InputLine[],
  violations: Violations,
): Promise<void> {
  const recorded: Recorded[] = [];
  for (const line of lines) {
    const found = located(line, locator);
    if (typeof found === 'string') violations.add(options.inputPath, line.number, `(${nameOf(line)}): ${found}`);
    else recorded.push({ line, location: found });
  }
  const fetcher = new RecordFetcher(options.place);
  try {
    for (const batch of batched(recorded, ({ location }) => location.lineBytes))
      await checkRecords(options.inputPath, fetcher, batch, violations);
  } finally {
    await fetcher.close();
  }
}

/** Where the line's record is, or why there is none. */
function located(line: InputLine, locator: Locator): Location | string {
  if (line.index >= locator.items) return 'the ledger never handed it out';
  const entry = locator.at(line.index);
  const problem = recordProblem(entry);
  if (problem !== null) return problem;
  return entry.expected === null || entry.found === null ? 'the ledger has it neither as done nor as failed' : entry.found;
}

async function checkRecords(inputPath: string, fetcher: RecordFetcher, batch: readonly Recorded[], violations: Violations): Promise<void> {
  const frames = await fetcher.fetch(Locations.of(batch.map(({ location }) => location)));
  for (const [at, { line }] of batch.entries()) {
    const frame = frames.frame(at);
    const expected = expectedRecord(line.meaning, line.number);
    const mismatch = recordMismatch(expected, line.number, parseOutputLine(frame.line), frame.kind);
    if (mismatch !== null) violations.add(inputPath, line.number, `(${nameOf(line)}): ${mismatch}`);
  }
}

function nameOf({ meaning }: InputLine): string {
  return named(meaning.kind === 'item' ? meaning.item.customId : meaning.customId);
}
