import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { exportResults } from '../../runtime/results/export/export.ts';
import type { Frame } from '../../runtime/results/log/contract.ts';
import { RecordedRun } from '../support/recorded-run.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

const ITEMS = 12;

type Step =
  /** Outcomes reach the log and the ledger; of a settled item none is ever appended again (L19). */
  | { readonly kind: 'record' | 'append'; readonly outcomes: readonly { readonly index: number; readonly isResult: boolean }[] }
  | { readonly kind: 'fail-over' };

const outcomes = fc.uniqueArray(fc.record({ index: fc.nat(ITEMS - 1), isResult: fc.boolean() }), {
  selector: (one) => one.index,
  maxLength: 5,
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('record' as const, 'append' as const), outcomes }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail-over' as const) }) },
);

/** What an export must hold, kept the simple way. */
class Model {
  readonly settled: Frame[] = [];
  #frames = 0;

  /** Frames of a step, each with a text of its own; none for an item that is settled. */
  framesOf(wanted: readonly { readonly index: number; readonly isResult: boolean }[]): readonly Frame[] {
    return wanted
      .filter(({ index }) => !this.settled.some((frame) => frame.index === index))
      .map(({ index, isResult }) => ({
        index,
        attempt: 1,
        kind: isResult ? 'result' : 'error',
        line: Buffer.from(`${index}#${this.#frames++}`),
      }));
  }

  file(kind: 'result' | 'error', order: 'input' | 'completion'): string {
    const frames = this.settled.filter((frame) => frame.kind === kind);
    if (order === 'input') frames.sort((a, b) => a.index - b.index);
    return frames.map((frame) => `${Buffer.from(frame.line).toString()}\n`).join('');
  }
}

async function play(run: RecordedRun, model: Model, steps: readonly Step[]): Promise<void> {
  for (const one of steps) {
    if (one.kind === 'fail-over') {
      await run.failOver();
      continue;
    }
    const frames = model.framesOf(one.outcomes);
    await run.append(frames);
    if (one.kind === 'append') continue;
    await run.settle(frames);
    model.settled.push(...frames);
  }
}

test('L21: whatever was appended, settled, lost and taken over, an export holds the settled outcomes and no other', async (t) => {
  const root = temporaryDir(t);
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
      const dir = join(root, String(runs++));
      mkdirSync(dir);
      const run = await RecordedRun.start(dir, ITEMS);
      const model = new Model();
      await play(run, model, steps);
      for (const order of ['input', 'completion'] as const) {
        const [outputPath, errorsPath] = [join(dir, 'out'), join(dir, 'err')];
        const { ledger, place } = run;
        await exportResults({
          ledger,
          place,
          outputPath,
          errorsPath,
          order,
          items: null,
          isPartial: true,
          tempDir: join(dir, 'temp'),
        });
        t.is(readFileSync(outputPath, 'utf8'), model.file('result', order));
        t.is(readFileSync(errorsPath, 'utf8'), model.file('error', order));
      }
      await run.close();
    }),
    { numRuns: 40 },
  );
});
