import { assert } from '../../runtime/base/assert.ts';
import type { Place } from '../../runtime/ledger/contract.ts';
import type { ResultLog } from '../../runtime/results/log/contract.ts';
import { createResultLog } from '../../runtime/results/log/log.ts';
import type { ResultsPlace } from '../../runtime/results/place/contract.ts';

/** The log of an epoch that nobody is fenced from. */
export async function createdLog(place: ResultsPlace, epoch: number, identity: Pick<Place, 'placeId'>): Promise<ResultLog> {
  const reply = await createResultLog({ place, epoch, identity });
  assert(reply.kind === 'created', 'nobody else is there');
  return reply.log;
}

export async function openedPlace(place: ResultsPlace, epoch: number, runId = 'a-run'): Promise<Place> {
  const reply = await place.open(epoch, runId);
  assert(reply.kind === 'opened', 'nobody else is there');
  return reply.place;
}
