import type { ItemRef } from '../../runtime/model/row.ts';
import type { Command, Ending } from '../../runtime/worker/commands.ts';
import { onEnded } from '../../runtime/worker/machine.ts';
import type { State } from '../../runtime/worker/state.ts';

/** One execution that ends alone in its turn. */
export function onOneEnded(state: State, nowMs: number, ref: ItemRef, ending: Ending): readonly Command[] {
  return onEnded(state, nowMs, [{ ref, ending }]);
}
