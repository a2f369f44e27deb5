import type { TestFn } from 'ava';
import { openedPlace } from '../../support/created-log.ts';
import type { OpenPlace } from '../../support/place-start.ts';

/** L22: the identity of a place. */
export function identitySuite(test: TestFn, open: OpenPlace): void {
  test('L22: a place has no identity and no segment before it is opened, and the same identity ever after', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    t.deepEqual([await place.identity(), await place.epochs()], [null, []]);
    const first = await openedPlace(place, 0, runId);
    t.is(first.runId, runId);
    t.deepEqual(await openedPlace(place, 0, runId), first);
    t.deepEqual(await place.identity(), first);
    t.deepEqual(await openedPlace(await hold(1), 1, runId), first, 'for a successor too');
  });

  test('L22: another place has another identity', async (t) => {
    const [one, other] = [await open(t), await open(t)];
    const identities = [await openedPlace(await one.hold(0), 0, one.runId), await openedPlace(await other.hold(0), 0, other.runId)];
    t.is(new Set(identities.map(({ placeId }) => placeId)).size, 2);
  });

  test('L22: a place is refused to another run', async (t) => {
    const { runId, hold } = await open(t);
    const place = await hold(0);
    const first = await openedPlace(place, 0, runId);
    await t.throwsAsync(place.open(0, 'another-run'), { code: 'PLACE_ELSEWHERE' });
    t.deepEqual(await place.identity(), first);
  });
}
