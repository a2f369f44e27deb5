import test from 'ava';
import { pathOfSystem } from '../../../scripts/system-packages.ts';

test('a program of an npm package is not taken for that of the system, wherever its folder stands in the path', (t) => {
  t.is(pathOfSystem('/a/node_modules/.bin:/usr/bin:/b/node_modules/.bin:/sbin'), '/usr/bin:/sbin');
  t.is(pathOfSystem('/usr/bin:/node_modules/.bin2'), '/usr/bin:/node_modules/.bin2');
  t.is(pathOfSystem(''), '');
});
