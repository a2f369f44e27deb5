import { join } from 'node:path';
import test from 'ava';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { resultsSuite } from './results.suite.ts';

resultsSuite(test, async (t) => {
  const dir = join(temporaryDir(t), 'segments');
  return { runId: 'a-run', hold: async () => directoryPlace(dir) };
});
