import test from 'ava';
import { textHash } from '../../../../../operator/rollout/desired/text-hash.ts';

test('a digest fits a label, is the same for the same text, and another one for another', (t) => {
  t.regex(textHash(''), /^[0-9a-f]{16}$/);
  t.is(textHash('a'), textHash('a'));
  t.is(new Set(['', 'a', 'b', 'ab', 'ä'].map(textHash)).size, 5);
});
