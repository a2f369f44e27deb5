import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemRandom } from '../../runtime/base/random.ts';
import { makeAuthority, makeCertificate, makeKeyPem } from '../../runtime/tls/certificate.ts';
import type { Identity } from '../../runtime/tls/identity.ts';
import { batchLines } from '../support/batch-lines.ts';
import { finished, startCommand } from '../support/command.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/free-port.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, type Standalone, standalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

const RUN_ID = '01HX0000000000000000000000';
const DAY_MS = 86_400_000;

interface Scene {
  readonly run: Standalone;
  readonly server: ModelServer;
  /** A certificate for `name`, made so long ago, or in so long. */
  bring(name: string, identity: Identity, offsetMs?: number): Promise<void>;
}

/** A run whose certificates an authority of somebody else has made. */
async function scene(t: ExecutionContext): Promise<Scene> {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
  const run = standalone(t, { lines: batchLines(200), baseUrl: server.url, concurrency: 1, coordinator: { runId: RUN_ID } });
  mkdirSync(run.tlsDir, { recursive: true });
  const nowMs = Date.now();
  const keyPem = await makeKeyPem();
  const certPem = await makeAuthority(keyPem, RUN_ID, { nowMs: nowMs - 30 * DAY_MS, random: systemRandom });
  writeFileSync(join(run.tlsDir, 'ca.pem'), certPem);
  const keys = new Map<string, string>();
  const bring = async (name: string, identity: Identity, offsetMs = 0): Promise<void> => {
    const key = keys.get(name) ?? (await makeKeyPem());
    keys.set(name, key);
    const making = { nowMs: nowMs + offsetMs, random: systemRandom };
    writeFileSync(join(run.tlsDir, `${name}.key.pem`), key);
    writeFileSync(join(run.tlsDir, `${name}.pem`), await makeCertificate(key, identity, ['localhost'], { certPem, keyPem }, making));
  };
  await bring('coordinator', { role: 'coordinator', runId: RUN_ID });
  await bring('client', { role: 'client', runId: RUN_ID });
  for (const workerId of ['w1', 'w2']) await bring(`worker-${workerId}`, { role: 'worker', runId: RUN_ID, workerId });
  return { run, server, bring };
}

test('a certificate that was exchanged for an expired one is not taken, and that is told; workers join by the old one', async (t) => {
  t.timeout(180_000);
  const { run, server, bring } = await scene(t);
  const port = await freePort();
  const coordinator = run.startCoordinator('c1', port);
  await leaseEpoch(coordinator, 60_000);
  run.startWorker('w1', [port]);
  await until('w1 works', 60_000, () => server.total() > 2);
  const asked = async (path: string): Promise<Response> => {
    const { http } = JSON.parse(readFileSync(join(run.state, 'coordinator.json'), 'utf8')) as { readonly http: string };
    return fetch(`http://${http}${path}`);
  };
  const health = async (): Promise<Record<string, Record<string, unknown> | null>> =>
    (await (await asked('/health')).json()) as Record<string, Record<string, unknown> | null>;
  const before = (await health())['certificate'];
  t.is(before?.['refused'], null);
  t.true(Math.abs(Number(before?.['expiresInSeconds']) - DAY_MS / 1_000) < 3_600);
  const metrics = await (await asked('/metrics')).text();
  t.regex(metrics, /^rollout_coordinator_certificate_expires_in_seconds 8\d{4}$/m);
  t.regex(metrics, /^rollout_coordinator_items_total\{result="done"\} [1-9]\d*$/m);
  t.regex(metrics, /^rollout_coordinator_ledger_commits_total [1-9]\d*$/m);

  await bring('coordinator', { role: 'coordinator', runId: RUN_ID }, -3 * DAY_MS);
  await until('it is said in the log', 30_000, () =>
    /coordinator\.pem has expired.*not taken, the last good ones stay/.test(coordinator.stderr()),
  );
  t.regex(
    String((await health())['certificate']?.['refused']),
    /coordinator\.pem has expired, it was valid until .*the clock of this machine says/,
  );
  run.startWorker('w2', [port]);
  const isRegistered = (): boolean =>
    printedEvents(coordinator).some((event) => event['kind'] === 'worker_registered' && event['workerId'] === 'w2');
  await until('w2 joins', 60_000, isRegistered);
  const status = await verb(['status', '--state', run.state], run.dir);
  t.regex(status.stdout, /state: running/);

  coordinator.signal('SIGTERM');
  t.is(await exitOf(coordinator, 30_000), 130);
});

test('a coordinator or a worker whose certificate no peer would accept does not start, and says which file, why, and what to do', async (t) => {
  t.timeout(180_000);
  const { run, bring } = await scene(t);
  const coordinator = { role: 'coordinator', runId: RUN_ID } as const;
  const cases: readonly (readonly [make: () => Promise<void>, said: RegExp])[] = [
    [
      () => bring('coordinator', coordinator, -3 * DAY_MS),
      /coordinator\.pem has expired, .*clock of this machine says .*Put a right one there/s,
    ],
    [() => bring('coordinator', coordinator, 3 * DAY_MS), /coordinator\.pem is not valid before .*set the clock right/s],
    [() => bring('coordinator', { ...coordinator, runId: 'another' }), /coordinator\.pem is of run another, not of 01HX/],
  ];
  for (const [make, said] of cases) {
    await make();
    const ended = await finished(run.startCoordinator('c1', 0));
    t.is(ended.exit, 2, ended.stderr);
    t.regex(ended.stderr, said);
  }
  await bring('worker-w1', { role: 'worker', runId: RUN_ID, workerId: 'w1' }, -3 * DAY_MS);
  const worker = await finished(run.startWorker('w1', [1]));
  t.is(worker.exit, 2, worker.stderr);
  t.regex(worker.stderr, /worker-w1\.pem has expired/);
});

test('status does not say that no coordinator runs where one does whose certificate is not valid by this clock, but what was wrong', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
  const run = standalone(t, { lines: batchLines(100), baseUrl: server.url, concurrency: 1 });
  const coordinator = run.startCoordinator('c1', 0);
  await leaseEpoch(coordinator, 60_000);
  const clock = fakeClock(join(run.dir, 'clock'));
  clock.stepTo(2 * DAY_MS);
  const status = await finished(startCommand('cli', ['status', '--state', run.state], { cwd: run.dir, env: clock.env }));
  t.regex(status.stdout, /A coordinator is there and did not answer, at .*certificate has expired: by the clock of this machine/);
  t.notRegex(status.stdout, /No coordinator is running/);
  coordinator.signal('SIGTERM');
  t.is(await exitOf(coordinator, 30_000), 130);
});
