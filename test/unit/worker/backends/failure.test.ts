import test from 'ava';
import { detailOf, failureOf, probeDetailOf } from '../../../../runtime/worker/backends/failure.ts';

const coded = (code: string, more: object = {}): Error => Object.assign(new Error(`it says ${code}`), { code, ...more });

test('what happens before a connection stands has executed nothing', (t) => {
  for (const code of ['ECONNREFUSED', 'ENOTFOUND', 'UND_ERR_CONNECT_TIMEOUT', 'CERT_HAS_EXPIRED', 'PROXY_REFUSAL'])
    t.deepEqual(failureOf('http://h', coded(code)), { kind: 'unavailable', detail: `http://h: it says ${code}` });
  t.is(failureOf('http://h', coded('ETIMEDOUT', { syscall: 'connect' })).kind, 'unavailable');
  t.is(failureOf('http://h', new AggregateError([coded('ECONNREFUSED')], '')).kind, 'unavailable');
});

test('what the client refuses to send is final, and anything else broke the connection', (t) => {
  t.like(failureOf('http://h', coded('UND_ERR_INVALID_ARG')), { kind: 'failed', code: 'invalid_request' });
  t.like(failureOf('http://h', coded('ECONNRESET')), { kind: 'failed', code: 'connection_reset' });
  t.like(failureOf('http://h', 'odd'), { kind: 'failed', code: 'connection_reset' });
});

test('only of an authority that is not known it is said how to name one', (t) => {
  t.regex(detailOf(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), /caCert/);
  t.regex(detailOf(coded('UNABLE_TO_VERIFY_LEAF_SIGNATURE')), /SSL_CERT_FILE/);
  t.notRegex(detailOf(coded('CERT_HAS_EXPIRED')), /caCert/);
});

test('a 100 Continue that was not asked for is named', (t) => {
  const error = Object.assign(new Error('bad response'), { code: 'UND_ERR_SOCKET' });
  t.regex(detailOf(error), /^100 Continue/);
  t.like(failureOf('http://h', error), { kind: 'failed', code: 'connection_reset' });
  t.notRegex(detailOf(coded('UND_ERR_SOCKET')), /100 Continue/);
});

test('a handshake that came to nothing has executed nothing; an error of TLS later has broken the connection', (t) => {
  for (const code of ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'])
    t.is(failureOf('https://h', coded(code)).kind, 'unavailable', code);
  t.is(failureOf('https://h', coded('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC')).kind, 'failed');
});

test('only an address without TLS is told that the server may speak it', (t) => {
  const closed = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  t.regex(probeDetailOf('http://h', closed), /begins with https:/);
  t.is(probeDetailOf('https://h', closed), 'other side closed');
  t.is(probeDetailOf('http://h', coded('ECONNREFUSED')), 'it says ECONNREFUSED');
});

test('of a name with several addresses each is told with its error, once', (t) => {
  const errors = ['connect ECONNREFUSED 127.0.0.9:1', 'connect ECONNREFUSED 127.0.0.8:1', 'connect ECONNREFUSED 127.0.0.8:1'].map((words) =>
    Object.assign(new Error(words), { code: 'ECONNREFUSED' }),
  );
  const all = Object.assign(new AggregateError(errors, ''), { code: 'ECONNREFUSED' });
  t.is(detailOf(all), 'connect ECONNREFUSED 127.0.0.9:1, connect ECONNREFUSED 127.0.0.8:1');
});
