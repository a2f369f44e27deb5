import test from 'ava';
import { resultLine } from '../../../../bench/bare/answer.ts';
import { itemLine } from '../../../../bench/items.ts';

test('an item is answered by an output line of the product, in about as many bytes as the item has', (t) => {
  const bytes = resultLine(Buffer.from(itemLine(5, 400)));
  const line = JSON.parse(Buffer.from(bytes).toString('utf8'));
  t.is(line.custom_id, 'item-00000005');
  t.is(line.error, null);
  t.is(line.response.status_code, 200);
  t.is(line.response.body.choices[0].message.content, 'What is the answer to question 5?');
  t.true(bytes.length > 350 && bytes.length < 450, `${bytes.length} bytes`);
});

test('what is no item is refused', (t) => {
  t.throws(() => resultLine(Buffer.from('{"url":"/v1"}')), { message: /without custom_id/ });
  t.throws(() => resultLine(Buffer.from('{')));
});
