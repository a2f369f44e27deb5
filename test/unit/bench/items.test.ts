import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { itemLine, requireResults, writeItems } from '../../../bench/items.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

test('a line has exactly as many bytes as it is to have, and is an item', (t) => {
  for (const bytes of [200, 201, 400, 1_000]) t.is(itemLine(7, bytes).length, bytes);
  const line = JSON.parse(itemLine(7, 400)) as { readonly custom_id: string; readonly body: { readonly messages: readonly object[] } };
  t.is(line.custom_id, 'item-00000007');
  t.is(line.body.messages.length, 2);
  t.true(itemLine(7, 10).length < 200, 'a line cannot be shorter than what it holds');
});

test('items are written one a line', (t) => {
  const path = join(temporaryDir(t), 'items');
  writeItems(path, 10_003, 200);
  const lines = readFileSync(path, 'utf8').split('\n');
  t.is(lines.length, 10_004);
  t.is(lines[10_002], itemLine(10_002, 200));
});

test('results that are missing, cut or in another order are refused', (t) => {
  const path = join(temporaryDir(t), 'results');
  const line = (n: number): string => `{"custom_id":"item-0000000${n}"}\n`;
  const write = (text: string): void => writeFileSync(path, text);
  write(line(0) + line(1));
  t.notThrows(() => requireResults(path, 2));
  t.throws(() => requireResults(path, 3), { message: /2 whole lines for 3/ });
  write(line(0) + line(1).slice(0, -1));
  t.throws(() => requireResults(path, 2), { message: /1 whole lines for 2/ });
  write(line(1) + line(0));
  t.throws(() => requireResults(path, 2), { message: /line 1 is not of item 0/ });
});
