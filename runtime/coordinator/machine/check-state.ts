import { assert } from '../../base/assert.ts';
import type { State } from '../state/state.ts';
import { checkItems } from './check-items.ts';
import { checkWorkers } from './check-workers.ts';

/**
 * Recomputes what the state keeps twice, and checks how its parts depend on each other: between two facts all of it holds. Unit tests
 * call it after every fact, and the simulation after every command.
 */
export function checkState(state: State): void {
  assert(state.commands.length === 0, 'the commands of a fact are taken with it');
  assert(state.dirty.size === 0, 'whoever a fact touches has been looked at');
  assert(state.reopened.length + state.granted.length === 0, 'what a fact opens and brings is worked off with it');
  assert(state.leaving >= 0, 'no more goodbyes are answered than were said');
  checkItems(state);
  checkWorkers(state);
}
