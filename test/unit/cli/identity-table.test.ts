import test from 'ava';
import { identityTable } from '../../../runtime/cli/identity-table.ts';

test('what differs is told as a table with both values, and the ways on', (t) => {
  const text = identityTable('out.rollout', [
    { name: '--model', found: 'none', wanted: 'small' },
    { name: '--override-model', found: 'a-long-name-of-a-model', wanted: 'none' },
  ]);
  const lines = text.split('\n');
  t.regex(lines[0] ?? '', /^out\.rollout holds another run/);
  t.deepEqual(lines.slice(1, 4), [
    '                    the run that is there   this command',
    '  --model           none                    small',
    '  --override-model  a-long-name-of-a-model  none',
  ]);
  t.regex(text, /--fresh/);
  t.regex(text, /--force/);
});
