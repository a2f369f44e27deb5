/**
 * Many workers in one process: `node herd-process.ts <tlsDir> <port> <first> <count>`. Each has the real loop, machine and
 * client, with two connections as a worker process has, and beats as one does; its store is in memory and its backend answers
 * nothing before it reads `go` on its stdin. Says every tenth of a second, one JSON line each, how it stands with them.
 */
import { once } from 'node:events';
import { systemClock as clock } from '../../runtime/base/clock.ts';
import { silentLog as log } from '../../runtime/base/log.ts';
import { systemRandom as random } from '../../runtime/base/random.ts';
import { plainRef, refKey } from '../../runtime/model/row.ts';
import { createWorkerClient } from '../../runtime/rpc/client.ts';
import { clientCredentials } from '../../runtime/rpc/tls.ts';
import { issueCertificate, readRunId, type TlsFiles } from '../../runtime/tls/ca.ts';
import { WorkerLoop } from '../../runtime/worker/loop.ts';
import { createLink, type Link } from '../../runtime/worker/session/link.ts';
import { newState, type State } from '../../runtime/worker/state.ts';
import { startHerdHeartbeat } from './herd-heartbeat.ts';

const LATENCY_MS = 200;
/** Between the starts of two workers, so that the first handshakes do not all come at once. */
const STEP_MS = 20;

/** What the test is told. */
export interface HerdReport {
  /** Workers whose session is open. */
  readonly open: number;
  /** Of those: under which epochs, the lowest. */
  readonly lowestEpoch: number;
  /** Items whose execution has not ended. */
  readonly running: number;
  /** Executions that have been begun. */
  readonly begun: number;
  /** Workers that have left. */
  readonly left: number;
}

const [tlsDir = '', port = '', first = '0', count = '0'] = process.argv.slice(2);
const runId = await readRunId(tlsDir);
const states: State[] = [];
let [running, begun] = [0, 0];
let left = 0;
const told = once(process.stdin, 'data');

function startWorker(workerId: string, tls: TlsFiles): void {
  const credentials = clientCredentials(tls, runId, log);
  const link = (carries: 'session' | 'beats'): Link =>
    createLink({
      dial: (address) => createWorkerClient({ address, credentials, clock, carries }),
      isHostUnknown: async () => false,
      addresses: [`127.0.0.1:${port}`],
      clock,
      random,
      log,
    });
  const bootNonce = random.hex(16);
  const settings = {
    ...{ workerId, bootNonce, concurrency: 1, prefetch: 1, transport: 'stream' as const, heartbeatIntervalMs: 2_000 },
    ...{ pollWaitMs: 20_000, selfFenceTimeoutMs: 40_000, drainTimeoutMs: 20_000, waitCoordinatorMs: Number.POSITIVE_INFINITY },
    ...{ endpoints: ['herd'], requestTimeoutMs: 600_000, waitBackendMs: 900_000 },
  };
  const state = newState(settings, 0, [], clock.monotonicMs());
  const loop = new WorkerLoop({
    state,
    outbox: { found: [], highestEpoch: 0, put: done, forget: done, keepEpoch: done, close: done },
    slots: slots(),
    link: link('session'),
    heartbeat: startHerdHeartbeat({
      ...{ workerId, bootNonce, link: link('beats'), heartbeatIntervalMs: settings.heartbeatIntervalMs, onFailure: fail },
      onAnswered: (beat) => loop.onBeat(beat),
    }),
    answers: { keep: () => undefined },
    ask: async () => ({ kind: 'ready' }),
    knownGood: { note: () => undefined, ask: async () => ({ kind: 'answered' }) },
    tickMs: 250,
    clock,
    log,
  });
  states.push(state);
  loop
    .run()
    .then(() => {
      left += 1;
    })
    .catch(fail);
}

const done = (): Promise<void> => Promise.resolve();

/** Executions end when the test says so, or when they are let go of. */
function slots(): WorkerSlots {
  const executing = new Map<string, AbortController>();
  const herd: WorkerSlots = {
    start: (assignment, endpoint, onEnded) => herd.run(assignment, endpoint).then(onEnded),
    run: async (assignment) => {
      const letGo = new AbortController();
      executing.set(refKey(assignment), letGo);
      running += 1;
      begun += 1;
      await Promise.race([told, once(letGo.signal, 'abort')]);
      await clock.sleep(LATENCY_MS, letGo.signal);
      executing.delete(refKey(assignment));
      running -= 1;
      const line = Buffer.from(
        JSON.stringify({ id: String(assignment.index), custom_id: customId(assignment.line), response: RESPONSE, error: null }),
      );
      const outcome = { kind: 'result' as const, line, httpStatus: 200, code: '', isRetryable: false, isProbe: false, delayMs: 0 };
      return { kind: 'outcome', outcome: { ...plainRef(assignment), ...outcome } };
    },
    stop: (ref) => executing.get(refKey(ref))?.abort(),
    stopAll: () => {
      for (const letGo of executing.values()) letGo.abort();
    },
  };
  return herd;
}

type WorkerSlots = ConstructorParameters<typeof WorkerLoop>[0]['slots'];

const RESPONSE = { status_code: 200, request_id: 'r', body: {} };

function customId(line: Uint8Array): string {
  return (JSON.parse(Buffer.from(line).toString()) as { custom_id: string }).custom_id;
}

function fail(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
}

function report(): HerdReport {
  const open = states.filter((state) => state.session.isOpen);
  return {
    open: open.length,
    lowestEpoch: Math.min(...open.map((state) => state.guard.highestEpoch)),
    running,
    begun,
    left,
  };
}

clock.every(100, () => process.stdout.write(`${JSON.stringify(report())}\n`));
// All certificates before the first beat: making them would hold up the beats.
const herd: { readonly workerId: string; readonly tls: TlsFiles }[] = [];
for (let n = 0; n < Number(count); n += 1) {
  const workerId = `h${Number(first) + n}`;
  herd.push({ workerId, tls: await issueCertificate(tlsDir, { role: 'worker', workerId }) });
}
for (const { workerId, tls } of herd) {
  startWorker(workerId, tls);
  await clock.sleep(STEP_MS);
}
