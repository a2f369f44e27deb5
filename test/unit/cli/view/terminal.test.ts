import test from 'ava';
import { drawnBar, isDrawable } from '../../../../runtime/cli/view/terminal.ts';

test('lines are drawn over on a terminal that can, and nowhere else', (t) => {
  t.true(isDrawable(true, { TERM: 'xterm-256color' }));
  t.true(isDrawable(true, { TERM: 'xterm', NO_COLOR: '' }));
  t.false(isDrawable(false, { TERM: 'xterm' }));
  t.false(isDrawable(true, { TERM: 'dumb' }));
  t.false(isDrawable(true, {}));
  t.false(isDrawable(true, { TERM: 'xterm', NO_COLOR: '1' }));
});

test('a bar is filled as far as its share', (t) => {
  t.is(drawnBar(0), '░'.repeat(30));
  t.is(drawnBar(0.5), '█'.repeat(15) + '░'.repeat(15));
  t.is(drawnBar(1), '█'.repeat(30));
});
