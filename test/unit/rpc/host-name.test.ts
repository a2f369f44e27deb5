import test from 'ava';
import { isHostUnknown } from '../../../runtime/rpc/host-name.ts';

test('a host with an address is known, whoever listens there', async (t) => {
  t.false(await isHostUnknown('localhost:1'));
  t.false(await isHostUnknown('127.0.0.1:50051'));
});
