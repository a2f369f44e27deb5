import test from 'ava';
import { loopback } from '../../../runtime/base/loopback.ts';

const at = (...addresses: readonly string[]) => ({ lo: addresses.map((address) => ({ address })) });

test('a host reaches itself by IPv4, and by IPv6 where it has that alone', (t) => {
  t.is(loopback(at('127.0.0.1', '::1')), '127.0.0.1');
  t.is(loopback(at('127.0.0.1')), '127.0.0.1');
  t.is(loopback(at('::1')), '[::1]');
  t.is(loopback({ ...at('::1'), eth0: [{ address: '10.0.0.1' }] }), '[::1]');
  t.is(loopback({}), '127.0.0.1', 'where nothing is told, the usual one');
});
