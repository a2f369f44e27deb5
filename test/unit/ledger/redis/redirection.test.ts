import test from 'ava';
import { hasMoved, isUnsure, redirected } from '../../../../runtime/ledger/redis/redirection.ts';

const FROM = { host: '10.0.0.1', port: 7_000 };

test('a node says where the slot of a key is; one that does not know the host means its own', (t) => {
  t.deepEqual(redirected('MOVED 866 10.0.0.2:7001', FROM), { host: '10.0.0.2', port: 7_001 });
  t.deepEqual(redirected('MOVED 866 2001:db8::1:7001', FROM), { host: '2001:db8::1', port: 7_001 });
  t.deepEqual(redirected('MOVED 866 node-b.example:7001', FROM), { host: 'node-b.example', port: 7_001 });
  t.deepEqual(redirected('MOVED 866 :7001', FROM), { host: '10.0.0.1', port: 7_001 });
  t.deepEqual(redirected('MOVED 866 ?:7001', FROM), { host: '10.0.0.1', port: 7_001 });
  for (const said of ['', 'ASK 866 10.0.0.2:7001', 'ERR unknown command']) t.is(redirected(said, FROM), null, said);
});

test('a server is left where it says that it is not the primary, or knows nothing of the others', (t) => {
  for (const said of ["READONLY You can't write", 'MOVED 866 a:1', 'CLUSTERDOWN The cluster is down']) t.true(hasMoved(said), said);
  for (const said of ['ASK 866 a:1', 'TRYAGAIN Multiple keys', 'OOM command', 'NOREPLICAS Not enough']) t.false(hasMoved(said), said);
});

test('a server that reads its data, or lacks the others, cannot say where a key is', (t) => {
  for (const said of ['LOADING Redis is loading', 'CLUSTERDOWN Hash slot not served', 'MASTERDOWN Link']) t.true(isUnsure(said), said);
  for (const said of ['', 'MOVED 866 a:1', 'ASK 866 a:1', 'NOPERM this user']) t.false(isUnsure(said), said);
});
