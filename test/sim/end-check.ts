import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COORDINATOR_WORKER } from '../../runtime/model/row.ts';
import { Locator } from '../../runtime/results/log/locator.ts';
import { recordProblem } from '../../runtime/results/log/record-check.ts';
import { acceptedRecords } from '../../runtime/results/log/records.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { invalidItems, poisonedItems } from './sim-source.ts';
import { checkTallies } from './tally-check.ts';
import type { World } from './world.ts';

/** What is left when a run is over: one record for each item, and it is the accepted one, as export reads it (L19 to L21). */
export async function checkEnd(world: World): Promise<void> {
  checkLedger(world);
  checkExecutions(world);
  checkPoison(world);
  await checkTallies(world, await world.ledger.tallies());
  const dir = mkdtempSync(join(tmpdir(), 'rollout-sim-'));
  try {
    await checkRecords(world, dir);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function checkLedger(world: World): void {
  const { plan, checkers } = world;
  world.hold(
    'L6',
    checkers.ledger.items.recorded === plan.items,
    `${checkers.ledger.items.recorded} of ${plan.items} items are recorded at the end`,
  );
  world.hold('C4', world.isExported, 'the run ended and no files were made');
  for (const index of invalidItems(plan)) {
    const { record } = checkers.ledger.items.item(index);
    world.hold(
      'L15',
      record?.row.worker === COORDINATOR_WORKER && !record.isResult,
      `the bad line ${index} was not recorded by the coordinator`,
    );
  }
}

/** C7: what kills every worker is recorded as such. */
function checkPoison(world: World): void {
  for (const index of poisonedItems(world.plan)) {
    const { record } = world.checkers.ledger.items.item(index);
    world.hold('C7', record?.row.worker === COORDINATOR_WORKER && !record.isResult, `the poison item ${index} has another record`);
  }
}

/** L37: where nothing but coordinators failed, every item was executed once. */
function checkExecutions(world: World): void {
  const { executions } = world.checkers.worker;
  const again = [...executions.values()].reduce((sum, by) => sum + by.length - 1, 0);
  world.coverage.count('executed again', again);
  world.coverage.count('executions', again + executions.size);
  if (!world.plan.isExact) return;
  for (const [index, by] of executions) world.hold('L37', by.length === 1, `item ${index} was executed by ${by.join(', ')}`);
}

/** Read by the real readers, from real files. */
async function checkRecords(world: World, dir: string): Promise<void> {
  world.disk.writeTo(join(dir, 'segments'));
  const place = directoryPlace(join(dir, 'segments'));
  const locator = await Locator.build({ ledger: world.ledger, place, items: world.plan.items, tempDir: join(dir, 'temp') });
  try {
    for (const { epoch, offset } of locator.ends) {
      const whole = world.disk.wholeBytes(epoch);
      world.hold('L17', offset === whole, `segment ${epoch} was read up to byte ${offset}, and is whole up to ${whole}`);
    }
    for (let index = 0; index < world.plan.items; index += 1) {
      const problem = recordProblem(locator.at(index));
      world.hold('L21', problem === null, `item ${index}: ${problem ?? ''}`);
    }
    if (world.failure !== null) return;
    for await (const frames of acceptedRecords(place, locator, 'input')) {
      for (const { index, attempt, line } of frames) checkRecord(world, index, attempt, line);
    }
  } finally {
    locator.dispose();
  }
}

function checkRecord(world: World, index: number, attempt: number, line: Uint8Array): void {
  const { record } = world.checkers.ledger.items.item(index);
  const accepted = record?.row.attempt ?? 0;
  world.hold('L21', attempt === accepted, `the record of item ${index} is of attempt ${attempt}; attempt ${accepted} was accepted`);
  if (record?.row.worker === COORDINATOR_WORKER) return;
  const sent = world.outcomes.get(`${index}/${attempt}`);
  const isSame = sent !== undefined && Buffer.from(sent).equals(line);
  world.hold('L21', isSame, `the record of item ${index} is not what its worker sent`);
}
