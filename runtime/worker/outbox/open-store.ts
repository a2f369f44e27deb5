import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { makeDirectory, syncDirectory } from '../../base/fs/atomic-file.ts';
import type { Disk } from '../../base/fs/disk.ts';
import type { OutboxOwner } from './contract.ts';
import { FACTS_FILE, type Facts } from './facts.ts';
import { type Found, readStore } from './found.ts';
import { OutboxStore, type StoreTerms } from './store.ts';

/** The store in its folder, which no other process uses meanwhile. */
export async function openStore(owner: OutboxOwner, terms: StoreTerms): Promise<OutboxStore> {
  const { dir, disk } = terms;
  await makeDirectory(dir, disk);
  const found = await readStore(dir, disk);
  const facts = factsFor(owner, found);
  // What an earlier process removed is gone for good before a file of the same number is made.
  await syncDirectory(dir, disk);
  const store = new OutboxStore(terms, facts, found.outcomes, 1 + (found.files.at(-1)?.epoch ?? 0));
  if (facts !== found.facts) await store.keepEpoch(facts.epoch);
  // L34: whoever wrote them may have died before its sync, or by one that failed. So they are sent only out of a file of this process.
  await store.put(found.outcomes);
  for (const { path } of found.files) await disk.rm(path, { force: true });
  await removeTemporaries(dir, disk);
  return store;
}

/** L33: outcomes of another worker or run are not taken over. */
function factsFor(owner: OutboxOwner, { facts, outcomes }: Found): Facts {
  const { dir, workerId, runId } = owner;
  if (facts?.workerId === workerId && facts.runId === runId) return facts;
  if (outcomes.length > 0) throw facts === null ? ofNobody(dir) : ofAnother(owner, facts);
  // An epoch of another run says nothing about this one.
  return { workerId, runId, epoch: facts?.runId === runId ? facts.epoch : 0 };
}

/** Left by a process that was killed while it replaced the facts. */
async function removeTemporaries(dir: string, disk: Disk): Promise<void> {
  for (const name of await disk.readdir(dir)) {
    if (name.startsWith(`${FACTS_FILE}.`) && name.endsWith('.tmp')) await disk.rm(join(dir, name), { force: true });
  }
}

function ofAnother(owner: OutboxOwner, facts: Facts): RolloutError {
  const theirs = `worker ${facts.workerId} of run ${facts.runId}`;
  return new RolloutError(
    'OUTBOX_OF_ANOTHER',
    `the store ${owner.dir} holds outcomes of ${theirs} that no coordinator has acknowledged. To hand them over, start the coordinator of run ${facts.runId} again, which also answers where that run is finished, and then worker ${facts.workerId} with this stateDir and that run's tls.dir; it ends with 0 once nothing is left. To keep them for later, give worker ${owner.workerId} of run ${owner.runId} another stateDir. Where nobody wants them any more, delete ${owner.dir}`,
  );
}

function ofNobody(dir: string): RolloutError {
  return new RolloutError(
    'STATE_UNREADABLE',
    `the store ${dir} holds outcomes and lacks ${FACTS_FILE}, which says whose they are: put that file back, or move the folder away; what was not handed over out of it runs again then`,
  );
}
