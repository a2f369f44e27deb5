import test from 'ava';
import { strayText } from '../../../runtime/format/stray-character.ts';

test('the first invisible character outside of strings is named where it alone makes the line no JSON', (t) => {
  t.regex(strayText('\ufeff{"a\u00a0": 1}\u200b') ?? '', /U\+FEFF \(a byte order mark\) stands at column 1,.*joined/);
  t.regex(strayText('{"a\\"\u00a0": 1}\u200b') ?? '', /U\+200B \(a zero-width space\) stands at column 12,/);
});

test('a line with another fault is not told as one with an invisible character', (t) => {
  for (const text of ["{'a': 'x\u00a0y'}", '{"a\u00a0', '\u00a0{', 'text']) t.is(strayText(text), null, text);
});
