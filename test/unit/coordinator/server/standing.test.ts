import test from 'ava';
import { STARTING, type Standing, unreadiness } from '../../../../runtime/coordinator/server/standing.ts';

test('only one that stands by is ready without serving; every other says why not in one line', (t) => {
  const all: readonly Standing[] = [
    STARTING,
    { kind: 'no-space', shortage: 'no space in /d: 1 bytes are free, 2 are wanted' },
    { kind: 'candidate' },
    { kind: 'passive' },
    { kind: 'taking-over' },
    { kind: 'ending' },
  ];
  const ready = all.filter((standing) => unreadiness(standing) === null);
  t.deepEqual(
    ready.map(({ kind }) => kind),
    ['passive'],
  );
  for (const standing of all) t.notRegex(unreadiness(standing) ?? '', /\n/);
  t.is(new Set(all.map(unreadiness)).size, all.length);
});
