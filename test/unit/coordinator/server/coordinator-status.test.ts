import test from 'ava';
import { type CoordinatorStatus, STARTING, unreadiness } from '../../../../runtime/coordinator/server/coordinator-status.ts';

test('only one that stands by is ready without serving; every other says why not in one line', (t) => {
  const all: readonly CoordinatorStatus[] = [
    STARTING,
    { kind: 'no-space', shortage: 'no space in /d: 1 bytes are free, 2 are wanted' },
    { kind: 'candidate' },
    { kind: 'passive' },
    { kind: 'taking-over' },
    { kind: 'ending' },
  ];
  const ready = all.filter((coordinatorStatus) => unreadiness(coordinatorStatus) === null);
  t.deepEqual(
    ready.map(({ kind }) => kind),
    ['passive'],
  );
  for (const coordinatorStatus of all) t.notRegex(unreadiness(coordinatorStatus) ?? '', /\n/);
  t.is(new Set(all.map(unreadiness)).size, all.length);
});
