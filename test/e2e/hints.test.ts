import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { checkFleet, movedOn, OTHERS_MS, steps, twoWorkers } from '../support/fleet.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** Less than a drain has, which lets what hangs run on for twenty seconds. */
const AT_ONCE_MS = 15_000;

test.serial('a hint only holds; withdrawn, the worker works on', async (t) => {
  t.timeout(300_000);
  const { fleet, own, hurry } = await twoWorkers(t, () => ({ kind: 'ok', afterMs: OTHERS_MS }));
  await until('w2 works', PATIENCE_MS, () => own.total() >= 4);
  fleet.hint([{ node: 'n2', severity: 'hint', reason: 'rebalance' }]);
  await until('w2 holds', PATIENCE_MS, () => steps(fleet, 'w2').length >= 2);
  await until('w2 is idle', PATIENCE_MS, () => own.inFlight() === 0);
  const before = own.total();
  await sleep(2_500);
  t.is(own.total(), before, 'it takes nothing');
  t.false(fleet.worker('w2').hasExited());
  t.is(fleet.eventsOf('w2', 'worker_deregistered').length, 0);
  fleet.hint([{ node: 'n2', severity: 'hnit' }]);
  await until('the mistake is told', PATIENCE_MS, () => fleet.coordinator.stderr().includes('the file has mistakes'));
  t.regex(fleet.coordinator.stderr(), /hints\.yaml: `severity` at line 1 must be one of hint, drain, gone, but is \\"hnit\\"/);
  await sleep(1_000);
  t.is(own.total(), before, 'what the file said last stands');
  fleet.hint(null);
  await until('w2 works again', PATIENCE_MS, () => own.total() > before);
  t.like(fleet.eventsOf('w2', 'drain_finished'), [{ end: 'withdrawn' }]);
  hurry();
  own.answerWith(() => ({ kind: 'ok' }));
  await checkFleet(t, fleet, PATIENCE_MS);
});

test.serial('a drain is withdrawn before the worker has left: it works on, and what it gave back runs elsewhere', async (t) => {
  t.timeout(300_000);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const { fleet, own, hurry } = await twoWorkers(t, async (started) => {
    if (started <= 2) await released;
    return { kind: 'ok', afterMs: 100 };
  });
  await until('two items hang', PATIENCE_MS, () => own.total() === 2);
  fleet.hint([{ node: 'n2', severity: 'drain', deadline: '60s' }]);
  await until('w2 drains', PATIENCE_MS, () => steps(fleet, 'w2').length >= 3);
  fleet.hint([]);
  await until('w2 is told', PATIENCE_MS, () => fleet.eventsOf('w2', 'drain_finished').length > 0);
  release();
  await until('w2 works again', PATIENCE_MS, () => own.total() > 4);
  hurry();
  await checkFleet(t, fleet, PATIENCE_MS);
  t.like(fleet.eventsOf('w2', 'drain_finished'), [{ end: 'withdrawn' }]);
});

test.serial('gone: the coordinator fails the worker at once, and a worker that lives all the same stops and leaves', async (t) => {
  t.timeout(300_000);
  const { fleet, own, other, hurry } = await twoWorkers(t, () => ({ kind: 'hang' }));
  await until('two items hang', PATIENCE_MS, () => own.total() === 2);
  fleet.hint([{ node: 'n2', severity: 'gone', reason: 'node deleted' }]);
  await until('its items run elsewhere', PATIENCE_MS, () => movedOn(own, other).length === 2);
  t.like(fleet.eventsOf('w2', 'worker_failed'), [{ reason: 'gone' }]);
  t.is(await fleet.worker('w2').exited, 0, fleet.worker('w2').stderr());
  hurry();
  await checkFleet(t, fleet, PATIENCE_MS);
  t.is(fleet.eventsOf('w2', 'worker_failed').length, 1);
});

test.serial('gone in the file of the worker itself: it ends at once', async (t) => {
  t.timeout(300_000);
  const { fleet, own, other, hurry } = await twoWorkers(t, () => ({ kind: 'hang' }));
  await until('two items hang', PATIENCE_MS, () => own.total() === 2);
  fleet.hintTo('w2', { severity: 'gone' });
  await until('w2 ends', AT_ONCE_MS, () => fleet.worker('w2').hasExited());
  t.is(await fleet.worker('w2').exited, 0, fleet.worker('w2').stderr());
  await until('its items run elsewhere', PATIENCE_MS, () => movedOn(own, other).length === 2);
  hurry();
  await checkFleet(t, fleet, PATIENCE_MS);
});
