import test from 'ava';
import { leaseOf } from '../../../../runtime/ledger/redis/lease-reply.ts';
import { SOME_PROCESS } from '../../../support/ledger-start.ts';

test('L1: the row as it is kept; none where nobody ever held it', (t) => {
  t.is(leaseOf([]), null);
  t.deepEqual(leaseOf(['a', 3, 7, 1_700_000_000_123, 'a:1', JSON.stringify(SOME_PROCESS)]), {
    holder: 'a',
    epoch: 3,
    renewals: 7,
    untilMs: 1_700_000_000_123,
    address: 'a:1',
    process: SOME_PROCESS,
  });
});
