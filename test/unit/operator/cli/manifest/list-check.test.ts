import test from 'ava';
import { ListCheck, type ListReport, seeInMemory } from '../../../../../operator/cli/manifest/list-check.ts';
import { MAX_LINE_BYTES } from '../../../../../runtime/model/limits.ts';

const line = (id: string): string => JSON.stringify({ custom_id: id, method: 'POST', url: '/v1/chat/completions', body: {} });

function check(text: string | Buffer, form: 'batch' | 'raw' = 'batch'): ListReport {
  const list = new ListCheck(form, seeInMemory());
  list.push(Buffer.from(text));
  return list.end();
}

test('items are counted, and blank lines are none', (t) => {
  t.deepEqual(check(`${line('a')}\n\n${line('b')}\r\n  \n`), { items: 2, bad: 0, shown: [] });
});

test('a line that is no item is told with its number, as a run would record it', (t) => {
  const { items, bad, shown } = check(`${line('a')}\nnot JSON\n${line('b')}\n{"custom_id": "c"}\n`);
  t.deepEqual([items, bad], [2, 2]);
  t.deepEqual(
    shown.map(({ lineNumber, code }) => [lineNumber, code]),
    [
      [2, 'invalid_json'],
      [4, 'missing_url'],
    ],
  );
  t.regex(shown[1]?.message ?? '', /url is missing: name the endpoint/);
});

test('a custom_id that was used before names the first line', (t) => {
  const { shown } = check(`${line('a')}\n${line('b')}\n${line('a')}\n`);
  t.like(shown[0], { lineNumber: 3, code: 'duplicate_custom_id' });
  t.regex(shown[0]?.message ?? '', /on line 1/);
});

test('of a raw list each line is any JSON value, and none repeats another', (t) => {
  t.deepEqual(check('1\n1\n"a"\n{}\n', 'raw'), { items: 4, bad: 0, shown: [] });
});

test('a byte order mark and a line that is longer than it may be', (t) => {
  t.like(check(`\ufeff${line('a')}\n`), { items: 1, bad: 0 });
  const { shown, items } = check(Buffer.concat([Buffer.alloc(MAX_LINE_BYTES + 100, 'a'), Buffer.from(`\n${line('a')}`)]));
  t.is(items, 1);
  t.like(shown[0], { lineNumber: 1, code: 'line_too_long' });
});

test('of many bad lines the first twenty are shown, and all are counted', (t) => {
  const { bad, shown } = check('x\n'.repeat(50));
  t.deepEqual([bad, shown.length], [50, 20]);
});
