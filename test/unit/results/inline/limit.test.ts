import test from 'ava';
import { badLineId, errorLine, resultLine } from '../../../../runtime/format/output-line.ts';
import { fullReason, mostItems, tooManyItems } from '../../../../runtime/results/inline/limit.ts';
import { frameBytes } from '../../../../runtime/results/log/segment.ts';

const MIB = 2 ** 20;

test('a list is refused only if even the shortest records of its items would not fit', (t) => {
  const most = mostItems(MIB);
  t.is(tooManyItems(most, MIB), null);
  t.regex(tooManyItems(most + 1, MIB) ?? '', new RegExp(`results of ${most + 1} items do not fit .* ${MIB} bytes: ${most} items at most`));
  const id = badLineId(1);
  const response = { statusCode: 200, requestId: '', body: '1' };
  const item = { customId: '', method: 'POST', url: '/', body: {} } as const;
  const shortest = [resultLine({ item, id, response }), errorLine({ id, customId: '', code: '', message: '', line: 1, response: null })];
  for (const line of shortest)
    t.true(frameBytes({ index: 0, attempt: 1, kind: 'result', line }) >= MIB / most - 1, Buffer.from(line).toString());
});

test('whoever meets the limit is told both sizes, that nothing is lost, and the flag', (t) => {
  t.regex(
    fullReason(201, 200),
    /take at least 201 bytes with those that came last, and --inline-limit allows 200\. Everything that is recorded is kept\..*goes on$/,
  );
});
