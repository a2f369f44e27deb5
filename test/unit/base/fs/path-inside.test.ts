import test from 'ava';
import { wayInside } from '../../../../runtime/base/fs/path-inside.ts';

test('what lies below a directory has a way to it, also under a name that begins with two dots', (t) => {
  t.is(wayInside('/a/b', '/a/b/c/d'), 'c/d');
  t.is(wayInside('/a/b', '/a/b/..c'), '..c');
  t.is(wayInside('/a/b', '/a/b'), '');
});

test('what lies outside has none, also where its name only begins alike', (t) => {
  for (const path of ['/a', '/a/bc', '/a/c', '/']) t.is(wayInside('/a/b', path), null, path);
});
