import type { Ledger } from '../../runtime/ledger/contract.ts';
import type { SimProcess } from './sim-process.ts';
import type { World } from './world.ts';

/** After so long at most a candidate that found no space tries again to keep an epoch, by whatever clock it has. */
const RETRY_MS = 20_000;

/** The ledger as it is, of a candidate that must have kept on its disk what it has seen before it asks to replace it (L3). */
export function checkMarks(world: World, process: SimProcess, ledger: Ledger): Ledger {
  const acquire: Ledger['acquire'] = (request) => {
    const { disk, queue } = world;
    const epoch = request.expected?.epoch ?? -1;
    const wasFull = disk.fullUntilMs > 0 && queue.nowMs < disk.fullUntilMs + RETRY_MS;
    const isKept = wasFull || disk.durableMark() >= epoch;
    world.hold('L3', isKept, `${process.name} has seen epoch ${epoch}, and asks for the lease before it has kept that`);
    return ledger.acquire(request);
  };
  return { ...ledger, acquire };
}
