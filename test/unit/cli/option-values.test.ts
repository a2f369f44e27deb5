import test from 'ava';
import {
  parserOf,
  toHeaders,
  toKeyHeader,
  toSize,
  toTimings,
  toUrls,
  toVariableName,
  toWorkers,
} from '../../../runtime/cli/option-values.ts';
import { OPENAI } from '../../../runtime/settings/backend.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import type { Setting } from '../../../runtime/settings/setting.ts';
import { WORKER } from '../../../runtime/settings/worker.ts';

test('numbers outside their bounds are refused with the bounds', (t) => {
  t.is(toWorkers('3'), 3);
  for (const text of ['0', '257', '-1', '2.5', 'many', '']) t.throws(() => toWorkers(text), { message: /from 1 to 256/ });
});

test('a size needs a unit', (t) => {
  t.is(toSize('8MiB'), '8MiB');
  t.throws(() => toSize('64'), { message: /64KiB or 8MiB/ });
});

test('the header of the key is one that the client does not set itself', (t) => {
  t.is(toKeyHeader('api-key'), 'api-key');
  for (const name of ['api key', 'Content-Length', '']) t.throws(() => toKeyHeader(name), { message: /such as api-key/ });
});

test('base URLs are collected in order and must be http or https', (t) => {
  t.deepEqual(toUrls('http://b:1/v1', toUrls('https://a', [])), ['https://a', 'http://b:1/v1']);
  t.throws(() => toUrls('localhost:8000', []), { message: /http:\/\/127/ });
  for (const url of ['http://a/v1/chat/completions', 'http://a/v1/completions/', 'https://a/v1/embeddings?v=1'])
    t.throws(() => toUrls(url, []), { message: /without its endpoint/ }, url);
});

test('a header that cannot be read is refused without showing it', (t) => {
  t.deepEqual(toHeaders('X-Team: a: b', toHeaders('Authorization: Bearer s3cret', {})), {
    Authorization: 'Bearer s3cret',
    'X-Team': 'a: b',
  });
  const error = t.throws(() => toHeaders('Bearer s3cret', {}));
  t.false(error.message.includes('s3cret'));
});

test('an address with a password, a secret in its query or a fragment is refused without showing it: it would be written into files', (t) => {
  for (const url of ['http://me:s3cret@a', 'http://s3cret@a', 'http://a/v1?key=s3cret', 'http://a/#s3cret']) {
    const error = t.throws(() => toUrls(url, []), { message: /without name, password/ }, url);
    t.false(error.message.includes('s3cret'));
  }
});

test('a header that no request can carry, or that would break it, is refused without its value', (t) => {
  for (const header of [
    'X-Team: s3cret \u65e5',
    'X-Team: s3cret\0',
    'Content-Length: 5',
    'transfer-encoding: chunked',
    'Accept-Encoding: gzip',
  ]) {
    const error = t.throws(() => toHeaders(header, {}), { message: /no header may hold|set by the client/ }, header);
    t.false(error.message.includes('s3cret'));
  }
});

test('--api-key-env takes a name, and a key given by mistake is not shown', (t) => {
  t.is(toVariableName('MY_KEY'), 'MY_KEY');
  const error = t.throws(() => toVariableName('sk-s3cret'));
  t.false(error.message.includes('s3cret'));
});

test('--timing takes known names and durations only', (t) => {
  t.deepEqual(toTimings('pollWait=1s', { clockSkewBudget: '10ms' }), { clockSkewBudget: '10ms', pollWait: '1s' });
  t.throws(() => toTimings('pollwait=1s', {}), { message: /pollWait/ });
  t.throws(() => toTimings('pollWait=1', {}), { message: /unit/ });
});

test('a flag takes what its setting takes: its bounds, no empty text, and no time of 0 where something ends after it', (t) => {
  const given = (setting: Setting, text: string): unknown => parserOf(setting)?.(text, undefined as never);
  t.is(given(WORKER.concurrency, '4096'), 4_096);
  t.throws(() => given(WORKER.concurrency, '4097'), { message: /from 1 to 4096/ });
  t.throws(() => given(COORDINATOR.maxAttempts, '0'), { message: /from 1 to 1000/ });
  t.throws(() => given(COORDINATOR.stallTimeout, '0s'), { message: /longer than 0/ });
  t.is(given(WORKER.waitBackend, '0s'), '0s');
  t.throws(() => given(OPENAI.model, ''), { message: /not be empty/ });
  t.throws(() => given(OPENAI.maxAnswerBytes, '15MiB'), { message: /at most 14MiB/ });
  t.throws(() => given(COORDINATOR.maxFailedItems, '5 %'), { message: /such as 5%/ });
});
