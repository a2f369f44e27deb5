import test from 'ava';
import { identityTable } from '../../../../runtime/cli/run/identity-table.ts';

test('what differs is told as a table with both values, and the ways on', (t) => {
  const text = identityTable(
    'out.rollout',
    [
      { name: '--model', found: 'none', wanted: 'small' },
      { name: '--override-model', found: 'a-long-name-of-a-model', wanted: 'none' },
    ],
    'differs',
  );
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

test('a list that has grown is told so, with the way to go on with it', (t) => {
  const text = identityTable('out.rollout', [{ name: 'input', found: '10 bytes', wanted: '20 bytes' }], 'grown');
  t.regex(text, /Lines were added to the list: add --extend/);
  t.regex(text, /--fresh/);
});

test('where items of the old list were handed out, --force is not offered, and the reason is said', (t) => {
  const text = identityTable('out.rollout', [{ name: 'input', found: '10 bytes', wanted: '20 bytes' }], 'handed-out');
  t.regex(text, /handed out, and --force does not mix two lists/);
  t.regex(text, /--fresh/);
});

test('where only the limit was raised, nothing is said of lines that were added to the list', (t) => {
  const text = identityTable('out.rollout', [{ name: '--limit', found: '10', wanted: '20' }], 'raised');
  t.regex(text, /The limit was raised: add --extend/);
  t.notRegex(text, /added to the list/);
});

test('where only the model is another one, --force is named as the way to go on with it', (t) => {
  const text = identityTable('out.rollout', [{ name: '--model', found: 'smal', wanted: 'small' }], 'model');
  t.regex(text, /Add --force to go on with the new model/);
});
