import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { lostItem, storeBehind } from '../../../runtime/ledger/rules/draft.ts';
import { differing, lostRenewals } from '../../../runtime/ledger/rules/lease.ts';
import { EMBEDDED, namedStore } from '../../../runtime/model/store.ts';
import { withWayOut } from '../../../runtime/model/way-out.ts';

const REDIS = namedStore({ redis: 'redis://there:6380/2' });
const told = (error: unknown, store = REDIS): string => String((withWayOut(error, store) as Error).message);

test('of a ledger on Redis each message names the server and what to do there, and never the state directory as what to restore', (t) => {
  const cases: readonly [error: RolloutError, wanted: RegExp][] = [
    [
      storeBehind(3, null),
      /no epoch at all.*server and the database on which the run began.*wiped.*--fresh.*coordinator run.*move .* aside.*another one/,
    ],
    [storeBehind(3, 2), /back at epoch 2.*old copy.*newest copy of its data.*--fresh/],
    [lostRenewals(3, 5), /has lost writes.*next one goes on.*Nothing has to be restored.*appendfsync always/],
    [lostItem(7), /item 7.*copy of its data from before the damage.*--fresh/],
    [differing(1, 2), /copy of its data/],
  ];
  for (const [error, wanted] of cases) {
    t.regex(told(error), wanted);
    t.regex(told(error), /redis:\/\/there:6380\/2/);
    t.notRegex(told(error), /(?:Restore|copy of) the state directory/);
    t.is((withWayOut(error, REDIS) as RolloutError).code, error.code);
  }
});

test('of a ledger in the state directory that directory is what is restored', (t) => {
  t.regex(told(storeBehind(3, 2), EMBEDDED), /newest copy of the state directory.*--fresh.*coordinator run.*aside/);
  t.regex(told(lostItem(7), EMBEDDED), /Restore the state directory from a copy\.$/);
});

test('the way out is said once, and other errors stay as they are', (t) => {
  const once = withWayOut(storeBehind(3, 2), REDIS);
  t.is(withWayOut(once, REDIS), once);
  const other = new RolloutError('STORE_FAILED', 'no');
  t.is(withWayOut(other, REDIS), other);
  t.is(withWayOut('no error', REDIS), 'no error');
});
