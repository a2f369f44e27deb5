import test from 'ava';
import { bodyWithModel, type ModelChoice } from '../../../../runtime/worker/backends/model-choice.ts';

function sent(text: string, choice: Partial<ModelChoice>): string {
  const item = { customId: 'x', method: 'POST', url: '/v1/x', body: JSON.parse(text) as unknown };
  const request = { item, bytes: () => Buffer.from(text), requestId: 'r' };
  return Buffer.from(bodyWithModel(request, { model: null, overrideModel: null, ...choice })).toString();
}

const ODD = '{"seed":9223372036854775807, "p":1e400,"t":1.0,"2":1,"1":1,"t":2.0}';

for (const [text, choice, written] of [
  [ODD, {}, ODD],
  [ODD, { model: 'm' }, `{"model":"m",${ODD.slice(1)}`],
  ['{"model":"own","n":1.0}', { model: 'm' }, '{"model":"own","n":1.0}'],
  ['{"n":1.0, "model": null}', { model: 'm' }, '{"n":1.0, "model": "m"}'],
  ['{"model":"own","n":1.0}', { overrideModel: 'a "b"' }, '{"model":"a \\"b\\"","n":1.0}'],
  ['{}', { overrideModel: 'o' }, '{"model":"o"}'],
  // Parsers differ in which of two members they take: none of them is left as it was, or all are.
  ['{"model":"a","n":1.0,"model":"b"}', { overrideModel: 'o' }, '{"model":"o","n":1.0,"model":"o"}'],
  ['{"model":"a","model":null}', { model: 'm' }, '{"model":"m","model":"m"}'],
  ['{"model":"a","model":"b"}', { model: 'm' }, '{"model":"a","model":"b"}'],
  ['{"tool":{"model":"a"},"s":"\\"model\\":1"}', { overrideModel: 'o' }, '{"model":"o","tool":{"model":"a"},"s":"\\"model\\":1"}'],
] as const) {
  test(`${text} with ${JSON.stringify(choice)} is sent as ${written}`, (t) => {
    t.is(sent(text, choice), written);
  });
}
