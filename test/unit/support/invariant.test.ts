import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { invariantBreaks, type OutputFiles } from '../../support/invariant.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

function files(t: ExecutionContext, input: string, output: readonly object[], errors: readonly object[]): OutputFiles {
  const dir = temporaryDir(t);
  const write = (name: string, text: string): string => {
    writeFileSync(join(dir, name), text);
    return join(dir, name);
  };
  const text = (lines: readonly object[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { input: write('in', input), output: write('out', text(output)), errors: write('errors', text(errors)) };
}

const done = (customId: string): object => ({ id: 'batch_req_1', custom_id: customId, response: { status_code: 200 }, error: null });
const failed = (customId: string | null, line: number): object => ({
  id: 'batch_req_2',
  custom_id: customId,
  response: null,
  error: { code: 'x', message: '', line },
});

const INPUT = '{"custom_id":"a"}\n\n{"custom_id":"b"}\r\nnot json\n{"custom_id":"a"}';

test('the checker of the invariant is content with each line in exactly one of the two outputs', (t) => {
  t.deepEqual(invariantBreaks(files(t, INPUT, [done('b'), done('a')], [failed(null, 4), failed('a', 5)])), []);
  t.deepEqual(invariantBreaks(files(t, INPUT, [done('a')], []), 1), [], 'of the first line only');
});

test('the checker of the invariant finds a duplicate, a missing line, a stranger and a line on the wrong side', (t) => {
  const errors = [failed(null, 4), failed('a', 5)];
  t.regex(
    invariantBreaks(files(t, INPUT, [done('a'), done('b'), done('b')], errors)).join(),
    /line 3 is in output line 2 and in output line 3/,
  );
  t.regex(invariantBreaks(files(t, INPUT, [done('a')], errors)).join(), /line 3 is in neither/);
  t.regex(invariantBreaks(files(t, INPUT, [done('a'), done('b'), done('c')], errors)).join(), /no input line is called "c"/);
  t.regex(invariantBreaks(files(t, INPUT, [done('a'), failed('b', 3)], errors)).join(), /output line 2: not a success/);
  t.regex(invariantBreaks(files(t, INPUT, [done('a'), done('b')], [failed(null, 4), failed('a', 2)])).join(), /no input line/);
});
