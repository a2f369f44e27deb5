import test from 'ava';
import { clientOptions } from '../../../runtime/rpc/options.ts';

test('a connection pings the more seldom the sooner something else tells that the peer is silent', (t) => {
  const everyMs = (['calls', 'session', 'beats'] as const).map((carries) => clientOptions(carries)['grpc.keepalive_time_ms']);
  t.deepEqual(everyMs, [1_000, 3_000, 20_000]);
});

test('whatever it carries, a client pings without calls too, and has connections of its own', (t) => {
  for (const carries of ['calls', 'session', 'beats'] as const) {
    t.like(clientOptions(carries), {
      'grpc.keepalive_timeout_ms': 2_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.use_local_subchannel_pool': 1,
    });
  }
});
