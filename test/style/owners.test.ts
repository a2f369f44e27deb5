import test from 'ava';
import { places, runtimeSources } from './sources.ts';

/**
 * The coordinator's state is read by all its rooms and written by its owners. What an owner keeps is `readonly` to everybody else, so that
 * the compiler refuses a write; a file that takes the word `readonly` off again is an owner.
 */
const OWNERS: readonly string[] = ['items', 'queues', 'workers'].map((name) => `runtime/coordinator/state/${name}.ts`);

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

/** The other parts of the state, and who writes them, by room and file. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
  phase: ['progress/ending'],
  headway: ['progress/stall'],
  waits: ['progress/waits'],
  supply: ['dispatch/claims'],
  claims: ['dispatch/claims'],
  cursor: ['dispatch/claims'],
  'poison.losses': ['items/poison'],
  'poison.pendingCrashes': ['items/poison'],
  'poison.host': ['dispatch/isolation'],
  hints: ['workers/drain', 'workers/hints'],
  done: ['items/found', 'items/outcomes'],
  failed: ['items/found', 'items/outcomes'],
  rejected: ['dispatch/claims', 'items/outcomes', 'items/poison', 'machine/machine'],
  leaving: ['workers/registry'],
  nowMs: ['machine/machine'],
  lastTickMs: ['workers/registry'],
};

/** An assignment, or a call that changes a collection; a variable that has the name of a part is not meant. */
function writesOf(part: string): RegExp {
  const path = part.replace('.', '\\.');
  return new RegExp(`(?<!(?:const|let) )\\b(?:state\\.)?${path}(?:\\.\\w+)*(?: (?:=|\\+=|-=) |\\.(?:push|splice|set|delete|add|clear)\\()`);
}

for (const [part, writers] of Object.entries(WRITERS)) {
  test(`state.${part} is written by ${writers.join(', ')} alone`, (t) => {
    const rooms = files.filter(({ path }) => /\/coordinator\/(?:state|progress|items|dispatch|workers|machine)\//.test(path));
    const writing = rooms
      .filter(({ text }) => writesOf(part).test(text))
      .map(({ path }) => path.replace(/^runtime\/coordinator\/|\.ts$/g, ''));
    t.deepEqual(writing.toSorted(), [...writers]);
  });
}
