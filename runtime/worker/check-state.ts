import { assert } from '../base/assert.ts';
import { isOneLine } from '../model/detail.ts';
import { outcomeBytes, type Stage, waitingBytes } from './stage.ts';
import { allHeld, type State } from './state.ts';

/** Recomputes what the state keeps twice: tests call it after every fact. */
export function checkState(state: State): void {
  const held = allHeld(state);
  for (const kind of Object.keys(state.counts) as Stage['kind'][]) {
    assert(state.counts[kind] === held.filter((one) => one.stage.kind === kind).length, `the count of ${kind} items`);
  }
  const toSend = held.filter((one) => one.stage.kind === 'finished' || one.stage.kind === 'returning');
  assert(toSend.length === state.unsent.size + state.sent.size, 'what is to be sent is unsent or sent');
  assert(
    toSend.every(({ stage }) => stage.kind !== 'returning' || isOneLine(stage.item.detail)),
    'the detail of an item that goes back fits into a message',
  );
  assert(
    toSend.every((one) => state.unsent.has(one) !== state.sent.has(one)),
    'nothing is both unsent and sent',
  );
  assert(state.queue.size === state.counts.queued, 'the queue is the queued items');
  assert(state.waitingBytes === held.reduce((sum, one) => sum + waitingBytes(one.stage), 0), 'the bytes of the queue');
  const storing = held.filter((one) => one.stage.kind === 'storing').length;
  const { outcomes, isStoring } = state.gathering;
  assert(isStoring ? outcomes.length <= storing : outcomes.length === storing, 'what is being stored has gathered, or is under way');
  assert(state.failures.size === state.counts.failed, 'the failures are the failed items');
  for (const endpoint of state.endpoints) {
    const executing = [...state.executing].filter((one) => one.endpoint === endpoint).length;
    assert(endpoint.executing === executing, `what occupies ${endpoint.url}`);
  }
  assert(state.outcomeBytes === held.reduce((sum, one) => sum + outcomeBytes(one.stage), 0), 'the bytes of the outcomes');
  assert(state.session.inFlight.size <= 2, 'at most two polls in flight');
}
