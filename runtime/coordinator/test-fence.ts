import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onAbort } from '../base/abort.ts';
import type { LeaseHolder } from '../lease/contract.ts';
import type { Ledger } from '../ledger/contract.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from './settings.ts';
import type { TestHook } from './test-hook.ts';

/**
 * `coordinator test-fence [--state DIR] [--redis URL] [--spin] [--hang]`, kept out of the help texts: serves a tiny run, lets a rival take its
 * lease, and shows that the process ends in time, with 3, or by SIGKILL where its loop spins. With `--hang` the store does not let go.
 */
export async function prepareTestFence(
  argv: readonly string[],
): Promise<{ readonly settings: CoordinatorSettings; readonly testHook: TestHook }> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      state: { type: 'string' },
      redis: { type: 'string' },
      spin: { type: 'boolean', default: false },
      hang: { type: 'boolean', default: false },
    },
  });
  const dir = values.state ?? (await mkdtemp(join(tmpdir(), 'rollout-test-fence-')));
  process.stderr.write(`test-fence: the run is kept in ${dir}\n`);
  const settings = await tinyRun(dir, values.redis);
  const testHook: TestHook = {
    ledger: (ledger) => (values.hang ? { ...ledger, dispose: () => new Promise(() => undefined) } : ledger),
    onServing: (leaseHolder, ledger) => {
      if (values.spin) onAbort(leaseHolder.fenced, spin);
      own(takeOver(leaseHolder, ledger));
    },
    onCommand: null,
  };
  return { settings, testHook };
}

async function tinyRun(dir: string, redis: string | undefined): Promise<CoordinatorSettings> {
  await mkdir(dir, { recursive: true });
  const [input, config] = [join(dir, 'test-fence.jsonl'), join(dir, 'test-fence.yaml')];
  await writeFile(input, '"one"\n"two"\n');
  // JSON is YAML too. The lease is renewed often, so that its loss is found soon.
  const timing = { coordinatorFailureTimeout: '2s', workerSelfFenceTimeout: '1500ms', leaseRenewInterval: '100ms' };
  const settings = {
    input,
    output: `${dir}.out.jsonl`,
    raw: true,
    listen: '127.0.0.1:0',
    http: 'none',
    stateDir: dir,
    store: redis === undefined ? { embedded: {} } : { redis },
    timing,
  };
  await writeFile(config, JSON.stringify(settings));
  return loadCoordinatorSettings(config);
}

const RIVAL_TTL_MS = 60_000;

/** What a successor does, without waiting for the lease to run out: the epoch is what deposes. A renewal may come in between. */
async function takeOver(leaseHolder: LeaseHolder, ledger: Ledger): Promise<void> {
  const held = leaseHolder.lease();
  for (;;) {
    const { lease: expected } = await ledger.readLease();
    const own = { holder: 'test-fence', address: held.address, process: held.process };
    const reply = await ledger.acquire({ ...own, expected, grounds: 'watched', ttlMs: RIVAL_TTL_MS, floor: held.epoch });
    if (reply.kind === 'won') return;
  }
}

/** A failure of the test is a bug, and ends the process as one. */
function own(promise: Promise<void>): void {
  promise.catch((error: unknown) => {
    queueMicrotask(() => {
      throw error;
    });
  });
}

/** As a loop does that never comes to its end. */
function spin(): never {
  const cell = new Int32Array(1);
  for (;;) cell.fill(0);
}
