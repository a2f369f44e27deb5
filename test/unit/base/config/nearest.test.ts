import test from 'ava';
import { nearest } from '../../../../runtime/base/config/nearest.ts';

const KNOWN = ['heartbeatInterval', 'pollWait', 'input', 'output'];

test('a slip of the finger is recognised', (t) => {
  t.is(nearest('heartbeatInterva', KNOWN), 'heartbeatInterval');
  t.is(nearest('heartbeat_interval', KNOWN), 'heartbeatInterval');
  t.is(nearest('PollWait', KNOWN), 'pollWait');
  t.is(nearest('inptu', KNOWN), 'input');
  t.is(nearest('poll', KNOWN), 'pollWait');
});

test('nothing is suggested for a word that is near none', (t) => {
  t.is(nearest('zookeeper', KNOWN), null);
  t.is(nearest('x', []), null);
});
