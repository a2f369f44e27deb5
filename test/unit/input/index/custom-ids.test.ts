import { rmSync, writeFileSync } from 'node:fs';
import test from 'ava';
import { customIdsOf } from '../../../../runtime/input/index/custom-ids.ts';
import { batchLine } from '../../../support/batch-lines.ts';
import { indexed } from '../../../support/indexed-input.ts';

const LINES = `${batchLine('a')}\n{"custom_id":"bad","url":"here"}\nnot JSON\n${batchLine('d')}\n`;

test('items are named by their custom_ids, also those of lines that are no items; what has none, and no such item, is left out', async (t) => {
  const { request } = await indexed(t, LINES);
  const named = await customIdsOf(request, [0, 1, 2, 3, 9]);
  t.deepEqual(
    [...named],
    [
      [0, 'a'],
      [1, 'bad'],
      [3, 'd'],
    ],
  );
});

test('an input that was changed, or is gone, names nothing', async (t) => {
  const { request } = await indexed(t, LINES);
  writeFileSync(request.inputPath, 'other');
  t.is((await customIdsOf(request, [0])).size, 0);
  rmSync(request.inputPath);
  t.is((await customIdsOf(request, [0])).size, 0);
});
