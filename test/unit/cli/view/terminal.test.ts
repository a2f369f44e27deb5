import test from 'ava';
import { isDrawable } from '../../../../runtime/cli/view/terminal.ts';

test('lines are drawn over on a terminal that can, and nowhere else', (t) => {
  t.true(isDrawable(true, { TERM: 'xterm-256color' }));
  t.true(isDrawable(true, { TERM: 'xterm', NO_COLOR: '' }));
  t.false(isDrawable(false, { TERM: 'xterm' }));
  t.false(isDrawable(true, { TERM: 'dumb' }));
  t.false(isDrawable(true, {}));
  t.false(isDrawable(true, { TERM: 'xterm', NO_COLOR: '1' }));
});
