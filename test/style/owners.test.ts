import test from 'ava';
import { places, runtimeSources } from './sources.ts';

/**
 * The coordinator's state is read by all its rooms and written by its owners. What an owner keeps is `readonly` to everybody else, so that
 * the compiler refuses a write; a file that takes the word `readonly` off again is an owner.
 */
const OWNERS: readonly string[] = ['runtime/coordinator/state/items.ts', 'runtime/coordinator/state/workers.ts'];

/** Hears the workers and speaks to them: it may write them as their owner does. */
const WORKERS_ROOM = 'runtime/coordinator/workers/';

const files = runtimeSources().filter(({ path }) => path.startsWith('runtime/coordinator/'));
const TAKES_READONLY_OFF = /-readonly\b|\bas (?:unknown as )?(?:State & |Map<|Set<|[A-Za-z]+\[\])/;

test('only an owner takes `readonly` off what it owns', (t) => {
  t.true(files.length >= 60, `only ${files.length} files were seen`);
  const writing = files.filter(({ text }) => TAKES_READONLY_OFF.test(text)).map(({ path }) => path);
  t.deepEqual(writing, OWNERS, `${files.flatMap((file) => places(file, TAKES_READONLY_OFF)).join(', ')}`);
});

test('only the room `workers` writes workers as their owner does', (t) => {
  const users = files.filter(({ text }) => /\bOwnWorker\b|\bownWorkers\b/.test(text)).map(({ path }) => path);
  t.true(users.length >= 4, `only ${users.length} files were seen`);
  t.deepEqual(
    users.filter((path) => !path.startsWith(WORKERS_ROOM)),
    ['runtime/coordinator/state/worker.ts', 'runtime/coordinator/state/workers.ts'],
  );
});
