import test from 'ava';
import { codePointName, printable, visible } from '../../../runtime/base/printable.ts';

test('what a terminal would obey is shown by its number', (t) => {
  t.is(printable('\u001b[2Ja\u0007\r\u009b31m\u007f'), '\\u001b[2Ja\\u0007\\u000d\\u009b31m\\u007f');
  t.is(printable('\u202eabc\u2066\ufeff'), '\\u202eabc\\u2066\\ufeff');
});

test('text of any language, line ends and tabs stay as they are', (t) => {
  const text = 'line one\n\tGrüße 日本語 🙂 ░█';
  t.is(printable(text), text);
});

test('a quotation shows what cannot be seen by its number, and plain blanks as they are', (t) => {
  t.is(visible('a b\u00a0c\u200b\ufeff\u3164\u{e0001}\t'), 'a b\\u00a0c\\u200b\\ufeff\\u3164\\u{e0001}\t');
  t.is(codePointName('\ufeff'), 'U+FEFF');
});
