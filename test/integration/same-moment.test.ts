import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { Candidate } from '../support/candidate.ts';
import type { Command } from '../support/command.ts';
import { printedEvents, standalone } from '../support/standalone.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** Long enough that no lease runs out: a leader is followed only when it is dead. */
const TTL_MS = 60_000;
const LEASE = { coordinatorFailureTimeout: `${TTL_MS}ms`, workerSelfFenceTimeout: '50s' };
const CANDIDATE_ROUNDS = 8;
const COORDINATOR_ROUNDS = 5;

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

test.serial(`three candidates begin at the same moment, ${CANDIDATE_ROUNDS} times: each epoch has one leader (L1, L4)`, async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const epochs: number[] = [];
  for (const round of upTo(CANDIDATE_ROUNDS)) {
    // In the first round nobody has ever held the lease; later all find a leader that was killed.
    const all = ['a', 'b', 'c'].map((name) => new Candidate(t, dir, `${name}${round}`, TTL_MS));
    await Promise.all(all.map((one) => one.hears(['won', 'passive'], PATIENCE_MS)));
    // Whoever found itself passive has seen the one that had won: nobody else can win any more while that one lives.
    const won = all.flatMap((one) => one.said.filter((line) => line.kind === 'won'));
    epochs.push(...won.map((line) => Number(line['epoch'])));
    t.deepEqual(
      all.flatMap((one) => one.said.filter((line) => line.kind === 'error')),
      [],
    );
    await Promise.all(all.map((one) => one.kill()));
  }
  t.deepEqual(epochs, upTo(CANDIDATE_ROUNDS));
});

test.serial(`two coordinators are started at the same moment, ${COORDINATOR_ROUNDS} times: each epoch has one leader`, async (t) => {
  t.timeout(300_000);
  const run = standalone(t, { lines: batchLines(5), baseUrl: 'http://127.0.0.1:1', concurrency: 1, timing: LEASE });
  const won = (one: Command): readonly number[] =>
    printedEvents(one)
      .filter((event) => event['kind'] === 'lease_acquired' || event['kind'] === 'lease_stolen')
      .map((event) => Number(event['epoch']));
  const isWaiting = (one: Command): boolean => one.stderr().includes('another coordinator holds the lease');
  const epochs: number[] = [];
  for (const round of upTo(COORDINATOR_ROUNDS)) {
    const both = ['c1', 'c2'].map((name) => run.startCoordinator(name, 0));
    await until(`round ${round}: one leads and one waits`, PATIENCE_MS, () => both.every((one) => won(one).length > 0 || isWaiting(one)));
    epochs.push(...both.flatMap(won));
    t.false(both.some((one) => one.hasExited()));
    for (const one of both) one.signal('SIGKILL');
    await Promise.all(both.map((one) => one.exited));
  }
  t.deepEqual(epochs, upTo(COORDINATOR_ROUNDS));
});
