import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '../../base/exit.ts';
import { errorsPath } from '../../format/output-line.ts';
import { prepareInput } from '../../input/file/spool.ts';
import { exportResults } from '../../results/export/export.ts';
import { type Wanted, writeRemaining } from '../../results/remaining/remaining.ts';
import { type Environment, withRun } from '../status/stored-ledger.ts';
import { listDigest } from './list-digest.ts';
import type { PageAnswer, Pages } from './pages.ts';
import { readAtRest } from './read-at-rest.ts';
import type { SettingsRun } from './settings-run.ts';

/** Its owner's alone; they are gone when the server ends. */
const PRIVATE = 0o600;

/**
 * Of a run that need not be finished, and on which no coordinator works. Who asks for `results` finds `output` and `errors` afterwards; after
 * `remaining`, `failed` or `remaining-failed` the `list` of these lines. `dir`: for these files.
 */
export function partialPages(env: Environment, run: SettingsRun, dir: string): Pages {
  const output = join(dir, 'output.jsonl');
  const list = join(dir, 'list.jsonl');
  const listed = (wanted: Wanted) => async () => listPage(env, run, dir, list, wanted);
  return {
    files: new Map([
      ['output', output],
      ['errors', errorsPath(output)],
      ['list', list],
    ]),
    answers: new Map([
      ['results', async () => resultsPage(env, run, dir, output)],
      ['remaining', listed({ open: true, failed: false })],
      ['failed', listed({ open: false, failed: true })],
      ['remaining-failed', listed({ open: true, failed: true })],
    ]),
  };
}

/** Ends with 6 where recorded results are damaged, as `rollout export --partial` does. */
async function resultsPage(env: Environment, run: SettingsRun, dir: string, outputPath: string): Promise<PageAnswer> {
  const { paths, kept, settings } = run;
  const { done, failed, damage } = await withRun(
    env,
    paths,
    async (reads) =>
      readAtRest(reads, run, async () =>
        exportResults({
          ...reads,
          ...{ outputPath, errorsPath: errorsPath(outputPath), order: settings.order, items: null, isPartial: true, tempDir: dir },
        }),
      ),
    kept,
  );
  const lost = damage?.lost ?? 0;
  return { body: `${JSON.stringify({ done, failed, lost })}\n`, exit: lost === 0 ? EXIT.done : EXIT.verifyBroken };
}

async function listPage(env: Environment, run: SettingsRun, dir: string, outputPath: string, wanted: Wanted): Promise<PageAnswer> {
  const { paths, kept, settings } = run;
  const { form, maxLineBytes, limit } = settings;
  const { path: inputPath } = await prepareInput({ form, input: settings.input, stateDir: paths.stateDir });
  await mkdir(dir, { recursive: true });
  const found = await withRun(
    env,
    paths,
    async (reads) =>
      readAtRest(reads, run, async (progress) =>
        writeRemaining({
          ...{ ledger: reads.ledger, wanted, inputPath, form, maxLineBytes, limit, tempDir: dir, outputPath, mode: PRIVATE },
          expectedSha256: await listDigest(reads, run, progress),
        }),
      ),
    kept,
  );
  return { body: `${JSON.stringify({ ...found, form })}\n`, exit: EXIT.done };
}
