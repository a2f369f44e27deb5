import test from 'ava';
import { EMBEDDED, namedStore } from '../../../runtime/model/store.ts';
import type { RunFile } from '../../../runtime/run-dir/run-file.ts';
import { resultsKind } from '../../../runtime/run-dir/run-results.ts';

const REDIS = namedStore({ redis: 'redis://a' });

function runWith(results: RunFile['results']): RunFile {
  const input = { path: 'in', size: 1, mtimeMs: 1, sha256: null, hashedBytes: null };
  const settings = { raw: false, limit: null, maxLineBytes: 1, model: null, overrideModel: null };
  return { version: 1, runId: 'r', createdAtMs: 0, input, settings, store: REDIS, results };
}

test('results are kept where the run began with them, else where it is asked for, else in a directory', (t) => {
  t.is(resultsKind('state', null, null, EMBEDDED), 'directory');
  t.is(resultsKind('state', null, 'inline', REDIS), 'inline');
  for (const kind of ['directory', 'inline'] as const) {
    t.is(resultsKind('state', runWith(kind), null, REDIS), kind);
    t.is(resultsKind('state', runWith(kind), kind, REDIS), kind);
  }
});

test('a run does not change where its results are kept, and is told where they are', (t) => {
  const refused = { code: 'IDENTITY_DIFFERS' };
  t.regex(
    t.throws(() => resultsKind('state', runWith('directory'), 'inline', REDIS), refused)?.message ?? '',
    /state keeps its results in a directory .*--results inline/,
  );
  t.regex(
    t.throws(() => resultsKind('state', runWith('inline'), 'directory', REDIS), refused)?.message ?? '',
    /state keeps its results in Redis .*--results directory/,
  );
});

test('without a Redis server there is no place beside its ledger', (t) => {
  t.throws(() => resultsKind('state', null, 'inline', EMBEDDED), { code: 'USAGE', message: /--results inline .* --redis/ });
});
