import test from 'ava';
import type { Leading } from '../../../../operator/kube/elector.ts';
import { cachesCheck, type ManagerEnd, type ManagerParts, manage } from '../../../../operator/kube/manager.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

interface Stage {
  readonly parts: ManagerParts;
  readonly clock: ManualClock;
  /** What was done, in its order. */
  readonly steps: string[];
  readonly stop: AbortController;
  readonly lost: AbortController;
  /** Ends the wait for the caches, or for the lead. */
  sync(): void;
  win(): void;
  run(): Promise<ManagerEnd>;
}

function stage({ drains = true, hasElection = true }: { readonly drains?: boolean; readonly hasElection?: boolean } = {}): Stage {
  const clock = new ManualClock();
  const steps: string[] = [];
  const [stop, lost] = [new AbortController(), new AbortController()];
  const did = (step: string): void => {
    steps.push(step);
  };
  let isSynced = false;
  let onSync: () => void = () => undefined;
  let onWin: (leading: Leading | null) => void = () => undefined;
  const leading: Leading = { lost: lost.signal, isHeld: () => !lost.signal.aborted, release: async () => did('release') };
  const parts: ManagerParts = {
    endpoints: [
      async () => {
        did('listen');
        return { port: 1, stop: async () => did('close') };
      },
    ],
    caches: [
      {
        kind: { kind: 'Pod' },
        start: () => did('watch'),
        stop: async () => did('unwatch'),
        hasSynced: () => isSynced,
        synced: async (limitMs) => {
          await Promise.race([new Promise<void>((resolve) => (onSync = resolve)), clock.sleep(limitMs)]);
          return isSynced;
        },
      },
    ],
    lead: hasElection
      ? (signal) => {
          did('elect');
          return new Promise((resolve) => {
            onWin = resolve;
            signal.addEventListener('abort', () => resolve(null));
          });
        }
      : null,
    controllers: [
      {
        name: 'things',
        start: () => did('work'),
        stop: async () => {
          did('drain');
          return drains;
        },
        abort: () => did('abort'),
      },
    ],
    recorder: { stop: async () => did('flush') },
    disconnect: () => did('disconnect'),
    clock,
    log: silentLog,
  };
  return {
    parts,
    clock,
    steps,
    stop,
    lost,
    sync: () => {
      isSynced = true;
      onSync();
    },
    win: () => onWin(leading),
    run: () => manage(parts, stop.signal),
  };
}

test('everything starts in its order, and stops in the reverse one', async (t) => {
  const made = stage();
  const end = made.run();
  await settlePromises();
  t.deepEqual(made.steps, ['listen', 'watch']);
  made.sync();
  await settlePromises();
  t.deepEqual(made.steps.slice(2), ['elect']);
  made.win();
  await settlePromises();
  t.deepEqual(made.steps.slice(3), ['work']);
  made.stop.abort();
  t.is(await end, 'stopped');
  t.deepEqual(made.steps.slice(4), ['drain', 'flush', 'release', 'unwatch', 'disconnect', 'close']);
});

test('without an election work begins when the caches have synced', async (t) => {
  const made = stage({ hasElection: false });
  const end = made.run();
  await settlePromises();
  made.sync();
  await settlePromises();
  t.deepEqual(made.steps, ['listen', 'watch', 'work']);
  made.stop.abort();
  t.is(await end, 'stopped');
  t.deepEqual(made.steps.slice(3), ['drain', 'flush', 'unwatch', 'disconnect', 'close']);
});

test('a lead that is lost ends everything at once: nothing is drained, written or released', async (t) => {
  const made = stage();
  const end = made.run();
  await settlePromises();
  made.sync();
  await settlePromises();
  made.win();
  await settlePromises();
  made.lost.abort();
  t.is(await end, 'lost');
  t.deepEqual(made.steps.slice(4), ['abort', 'disconnect', 'disconnect', 'close']);
});

test('the lead of a reconcile that does not end is left to run out', async (t) => {
  const made = stage({ drains: false });
  const end = made.run();
  await settlePromises();
  made.sync();
  await settlePromises();
  made.win();
  await settlePromises();
  made.stop.abort();
  t.is(await end, 'stopped');
  t.false(made.steps.includes('release'));
  t.true(made.steps.includes('flush'));
});

test('who is told to stop early has done nothing that it would have to take back', async (t) => {
  const early = stage();
  const end = early.run();
  await settlePromises();
  early.stop.abort();
  t.is(await end, 'stopped');
  t.deepEqual(early.steps, ['listen', 'watch', 'unwatch', 'disconnect', 'close']);
  const standby = stage();
  const ended = standby.run();
  await settlePromises();
  standby.sync();
  await settlePromises();
  standby.stop.abort();
  t.is(await ended, 'stopped');
  t.deepEqual(standby.steps, ['listen', 'watch', 'elect', 'unwatch', 'disconnect', 'close']);
});

test('caches that do not sync within two minutes end the process, and the probe names them', async (t) => {
  const made = stage();
  const check = cachesCheck(made.parts.caches);
  t.is(check(), 'not synced: Pod');
  const end = made.run();
  await made.clock.advance(119_999);
  t.deepEqual(made.steps, ['listen', 'watch']);
  await made.clock.advance(1);
  t.is(await end, 'not-synced');
  t.deepEqual(made.steps.slice(2), ['unwatch', 'disconnect', 'close']);
  made.sync();
  t.is(check(), null);
});

test('a port that is taken ends the start, and what has been opened is closed', async (t) => {
  const made = stage();
  const parts = { ...made.parts, endpoints: [...made.parts.endpoints, () => Promise.reject(new Error('EADDRINUSE'))] };
  await t.throwsAsync(manage(parts, made.stop.signal), { message: 'EADDRINUSE' });
  t.deepEqual(made.steps, ['listen', 'close']);
});
