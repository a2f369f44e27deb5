import test from 'ava';
import { resultLine } from '../../../../runtime/format/output-line.ts';
import { NO_NOTES, withNotesOf } from '../../../../runtime/results/export/answer-notes.ts';

function notes(body: string): string {
  const line = resultLine({ item: { customId: 'x' }, id: 'ab'.repeat(16), response: { statusCode: 200, requestId: null, body } });
  const { atTokenLimit, emptyText } = withNotesOf(NO_NOTES, Buffer.from(line));
  return `${atTokenLimit ? 'limit' : ''}${emptyText ? 'empty' : ''}`;
}

const chat = (message: object, finish = 'stop'): string => JSON.stringify({ choices: [{ message, finish_reason: finish }] });

for (const [body, noted] of [
  [chat({ content: 'a text' }), ''],
  [chat({ content: 'half a te' }, 'length'), 'limit'],
  [chat({ content: '' }), 'empty'],
  [chat({ content: '' }, 'length'), 'limitempty'],
  ['{"choices": [{"text" : "", "finish_reason" : "length"}]}', 'limitempty'],
  [chat({ content: '', tool_calls: [{ id: 'c' }] }, 'tool_calls'), ''],
  [chat({ content: '', tool_calls: [] }), 'empty'],
  [chat({ content: 'it says "finish_reason": "length" and "content": ""' }), ''],
  [chat({ content: 'ends with a backslash \\' }), ''],
  ['{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}', 'limit'],
  ['{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}', ''],
  ['{"data":[{"embedding":[1]}]}', ''],
] as const) {
  test(`of ${body} is noted: ${noted || 'nothing'}`, (t) => {
    t.is(notes(body), noted);
  });
}

test('notes add up, one for each line, over the lines of one block and over several blocks', (t) => {
  const bodies = [
    chat({ content: 'a text' }),
    chat({ content: 'half a te' }, 'length'),
    chat({ content: '' }),
    chat({ content: '', tool_calls: [{ id: 'c' }] }, 'tool_calls'),
    '{"choices":[{"finish_reason":"length"},{"finish_reason":"length"}]}',
  ];
  const block = Buffer.from(`${bodies.join('\n')}\n`);
  const once = withNotesOf(NO_NOTES, block);
  t.deepEqual(once, { atTokenLimit: 2, emptyText: 1 });
  t.deepEqual(withNotesOf(once, block), { atTokenLimit: 4, emptyText: 2 });
  t.deepEqual(withNotesOf(NO_NOTES, Buffer.alloc(0)), NO_NOTES);
});
