import test from 'ava';
import { reachable } from '../../../../runtime/coordinator/server/reachable.ts';

test('an address that only says where to listen is not handed out', (t) => {
  for (const address of ['0.0.0.0:50051', '[::]:50051', '[0:0:0:0:0:0:0:0]:1', '[::0.0.0.0]:1', '0:50051'])
    t.is(reachable(address), '', address);
  for (const address of ['', '10.0.0.0:1', '127.0.0.1:1', '[::1]:1', '[fe80::]:1', 'h0:0', '0.0.0.0.example:1'])
    t.is(reachable(address), address);
});
