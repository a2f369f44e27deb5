import test from 'ava';
import { contentId } from '../../../../runtime/format/content-id.ts';
import type { OutputRecord } from '../../../../runtime/format/output-line.ts';
import { badLineId } from '../../../../runtime/format/output-line.ts';
import { expectedRecord, type InputMeaning, recordMismatch } from '../../../../runtime/results/log/record-check.ts';

const item = { customId: 'x', method: 'POST', url: '/v1', body: { a: 1 } };
const anItem: InputMeaning = { kind: 'item', item };
const aBadLine: InputMeaning = { kind: 'invalid', code: 'invalid_json', message: '', customId: null };
const aDuplicate: InputMeaning = { kind: 'duplicate', customId: 'x', firstLine: 2 };

const result: OutputRecord = { id: `batch_req_${contentId(item)}`, customId: 'x', hasResponse: true, error: null };
const refused: OutputRecord = { ...result, error: { code: 'http_400', message: 'm', line: 5 } };
const badLine: OutputRecord = {
  id: `batch_req_${badLineId(5)}`,
  customId: null,
  hasResponse: false,
  error: { code: 'invalid_json', message: 'm', line: 5 },
};
const duplicate: OutputRecord = { ...badLine, customId: 'x', error: { code: 'duplicate_custom_id', message: 'm', line: 5 } };

for (const [what, meaning, record, kind, expected] of [
  ['a result of an item', anItem, result, 'result', null],
  ['an error of an item', anItem, refused, 'error', null],
  ['the error of a bad line', aBadLine, badLine, 'error', null],
  ['the error of a duplicate', aDuplicate, duplicate, 'error', null],
  ['what is no record', anItem, null, 'result', /not an output line/],
  ['a record of another custom_id', anItem, { ...result, customId: 'y' }, 'result', /its record has custom_id "y"/],
  ['a record of other contents', anItem, { ...result, id: 'batch_req_0' }, 'result', /made from other contents/],
  [
    'a result of a bad line',
    aBadLine,
    { ...result, customId: null },
    'result',
    /the line is bad \(invalid_json\), but its record is a result/,
  ],
  ['a result of a duplicate', aDuplicate, result, 'result', /\(duplicate_custom_id\), but its record is a result/],
  [
    'another error of a bad line',
    aBadLine,
    { ...badLine, error: { code: 'http_500', message: 'm', line: 5 } },
    'error',
    /is the error http_500/,
  ],
  ['an item that is called a duplicate', anItem, duplicate, 'error', /made from other contents/],
  ['a result that the log calls an error', anItem, result, 'error', /call it failed, but its record is a result/],
  ['an error that the log calls a result', anItem, refused, 'result', /call it done, but its record is the error http_400/],
  ['an error of another line', anItem, { ...refused, error: { code: 'http_400', message: 'm', line: 6 } }, 'error', /names input line 6/],
] as const) {
  test(`${what} is ${expected === null ? 'right' : 'told apart'}`, (t) => {
    const mismatch = recordMismatch(expectedRecord(meaning, 5), 5, record, kind);
    if (expected === null) t.is(mismatch, null);
    else t.regex(mismatch ?? '', expected);
  });
}
