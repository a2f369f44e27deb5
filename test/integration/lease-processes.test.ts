import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { seededRandom } from '../../runtime/base/random.ts';
import { openLedgerReadOnly } from '../../runtime/ledger/embedded/ledger.ts';
import { Candidate } from '../support/candidate.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';

const TTL_MS = 20_000;

test.serial('the second process waits, and follows at once when the first is killed', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const first = new Candidate(t, dir, 'first', TTL_MS);
  t.like(await first.hears('won'), { epoch: 0, won: { kind: 'acquired', killedPid: null } });
  const second = new Candidate(t, dir, 'second', TTL_MS);
  t.like(await second.hears('passive'), { holder: 'first:1' });
  t.is(second.said.filter((line) => line.kind === 'won').length, 0);

  first.tell('work');
  await first.hears('settled');
  await first.kill();
  const killedAtMs = performance.now();
  const won = await second.hears('won');
  t.like(won, { epoch: 1, won: { kind: 'stolen', killedPid: null } });
  t.true(won.atMs - killedAtMs < TTL_MS / 2, `${won.atMs - killedAtMs} ms, the lease would have run ${TTL_MS} ms`);
});

test.serial('what a killed process was told is settled stays so, and its successor goes on behind it', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const first = new Candidate(t, dir, 'first', TTL_MS);
  await first.hears('won');
  first.tell('work');
  await first.hears('settled');
  await sleep(300);
  await first.kill();
  const ledger = await openLedgerReadOnly(dir);
  const settled = first.said.flatMap((line) => (line.kind === 'settled' ? (line['indexes'] as number[]) : []));
  const bits = await ledger.bits(0, Math.max(...settled) + 1);
  t.true(settled.length > 0);
  t.deepEqual(
    settled.filter((index) => bits[index] !== 1),
    [],
  );
  await ledger.dispose();

  const second = new Candidate(t, dir, 'second', TTL_MS);
  t.like(await second.hears('won'), { epoch: 1 });
  second.tell('work');
  await second.hears('settled');
  t.is(second.said.filter((line) => line.kind === 'error').length, 0);
});

test.serial('L1: after a resignation the next wins epoch + 1 at once', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const first = new Candidate(t, dir, 'first', TTL_MS);
  await first.hears('won');
  const second = new Candidate(t, dir, 'second', TTL_MS);
  await second.hears('passive');
  first.tell('resign');
  const resigned = await first.hears('resigned');
  const won = await second.hears('won');
  t.like(won, { epoch: 1, won: { kind: 'acquired', killedPid: null } });
  t.true(won.atMs - resigned.atMs < TTL_MS / 2);
  t.is(first.child.exitCode, null, 'the first lives on, and is not killed for it');
});

test.serial('a stopped holder that keeps the writer’s lock is killed after its lease, and that is told', async (t) => {
  t.timeout(300_000);
  const ttlMs = 2_000;
  const dir = temporaryDir(t);
  const first = new Candidate(t, dir, 'first', ttlMs);
  await first.hears('won');
  const second = new Candidate(t, dir, 'second', ttlMs);
  await second.hears('passive');
  first.tell('stop-inside');
  const stopping = await first.hears('stopping');
  const won = await second.hears('won', PATIENCE_MS);
  t.like(won, { epoch: 1, won: { kind: 'stolen', killedPid: first.pid } });
  t.true(won.atMs - stopping.atMs >= ttlMs - ttlMs / 3, 'not before the lease has expired');
  t.is(first.child.signalCode, 'SIGKILL');
});

test.serial('a holder that was stopped between its writes is fenced when it goes on, and not killed', async (t) => {
  t.timeout(300_000);
  const ttlMs = 2_000;
  const dir = temporaryDir(t);
  const first = new Candidate(t, dir, 'first', ttlMs);
  await first.hears('won');
  const second = new Candidate(t, dir, 'second', ttlMs);
  await second.hears('passive');
  first.child.kill('SIGSTOP');
  t.like(await second.hears('won', PATIENCE_MS), { epoch: 1, won: { kind: 'stolen', killedPid: null } });
  first.child.kill('SIGCONT');
  t.like(await first.hears('lost'), { epoch: 1 });
  t.is(first.child.signalCode, null);
});

test.serial('L1: of many first starts at the same moment one wins epoch 0, and the others wait', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const all = ['a', 'b', 'c', 'd'].map((name) => new Candidate(t, dir, name, TTL_MS));
  await Promise.all(all.map((one) => one.hears(['won', 'passive'], PATIENCE_MS)));
  const winners = all.flatMap((one) => one.said.filter((line) => line.kind === 'won'));
  t.deepEqual(
    winners.map((line) => line['epoch']),
    [0],
  );
  t.is(all.filter((one) => one.said.some((line) => line.kind === 'error')).length, 0);
});

test.serial('L6: killed at any moment of its work, a ledger opens again and adds up', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  const random = seededRandom(20_260_101);
  for (let round = 0; round < 20; round += 1) {
    const worker = new Candidate(t, dir, `round-${round}`, TTL_MS);
    t.like(await worker.hears(['won', 'error']), { kind: 'won', epoch: round });
    t.like(await worker.hears(['scan', 'error']), { kind: 'scan', reply: { kind: 'scanned', progress: { epoch: round } } });
    worker.tell('work');
    await worker.hears('settled');
    await sleep(random.next() * 100);
    await worker.kill();
  }
});

test.serial('a holder stopped at any moment of its work is followed, killed or not', async (t) => {
  t.timeout(300_000);
  const ttlMs = 1_500;
  for (let round = 0; round < 3; round += 1) {
    const dir = temporaryDir(t);
    const first = new Candidate(t, dir, 'first', ttlMs);
    await first.hears('won');
    const second = new Candidate(t, dir, 'second', ttlMs);
    await second.hears('passive');
    first.tell('work');
    await first.hears('settled');
    await sleep(100 + round * 37);
    first.child.kill('SIGSTOP');
    const won = await second.hears(['won', 'error'], PATIENCE_MS);
    t.like(won, { kind: 'won', epoch: 1 });
    t.like(await second.hears(['scan', 'error']), { kind: 'scan', reply: { kind: 'scanned' } });
    first.child.kill('SIGCONT');
    if ((won['won'] as { killedPid: number | null }).killedPid === null) t.like(await first.hears('refused'), { by: 'fenced' });
    await Promise.all([first.kill(), second.kill()]);
  }
});
