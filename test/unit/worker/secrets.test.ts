import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { apiKeyIn, extraHeadersIn } from '../../../runtime/worker/secrets.ts';

test('a key that no request can carry is refused at once, naming the variable and showing nothing of it', (t) => {
  for (const key of ['s3cret\r', 's3cret\n', ' s3cret', 's3cret\u65e5', 's3\ncret']) {
    const error = t.throws(() => apiKeyIn({ KEY: key }, 'KEY'), { instanceOf: RolloutError, message: /variable KEY/ }, JSON.stringify(key));
    t.is(error?.code, 'CONFIG_INVALID');
    t.notRegex(String(error?.message), /s3|cret/);
  }
  t.is(apiKeyIn({ KEY: 'sk-1' }, 'KEY'), 'sk-1');
  t.is(apiKeyIn({ KEY: '' }, 'KEY'), null);
  t.is(apiKeyIn({}, 'KEY'), null);
});

test('headers that cannot be sent, or would break every request, are refused, naming the variable and showing nothing of them', (t) => {
  for (const text of ['s3cret', '["s3cret"]', '{"x":1}', '{"x y":"s3cret"}', '{"x":"s3\\ncret"}', '{"Content-Length":"5"}']) {
    const error = t.throws(() => extraHeadersIn({ EXTRA: text }, 'EXTRA'), { instanceOf: RolloutError, message: /variable EXTRA/ }, text);
    t.is(error?.code, 'CONFIG_INVALID');
    t.notRegex(String(error?.message), /s3|cret/);
  }
  t.deepEqual(extraHeadersIn({ EXTRA: '{"x-team":"a"}' }, 'EXTRA'), { 'x-team': 'a' });
  t.deepEqual(extraHeadersIn({}, 'EXTRA'), {});
  t.deepEqual(extraHeadersIn({}, null), {});
});
