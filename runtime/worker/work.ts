import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Random } from '../base/random.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { WorkerClient } from '../rpc/client.ts';
import { isHostUnknown } from '../rpc/host-name.ts';
import type { AnswerBudget } from './backends/answer-budget.ts';
import type { Backend } from './backends/contract.ts';
import { askReadiness } from './endpoint/readiness.ts';
import type { Heartbeat, HeartbeatListener } from './heartbeat/heartbeat.ts';
import type { HeartbeatSettings } from './heartbeat/heartbeat-messages.ts';
import type { KnownGood } from './known-good.ts';
import { type LoopEnd, WorkerLoop } from './loop.ts';
import type { Outbox, WaitForDiskSpace } from './outbox/contract.ts';
import { createLink } from './session/link.ts';
import type { WorkerSettings } from './settings.ts';
import { createSlots, type Slots } from './slots.ts';
import { type MachineSettings, newState, type State } from './state.ts';

/** The machine looks at the clock at least so often. */
const MAX_TICK_MS = 250;

export type WorkSettings = Pick<
  WorkerSettings,
  | 'workerId'
  | 'coordinators'
  | 'node'
  | 'concurrency'
  | 'prefetch'
  | 'requestTimeoutMs'
  | 'waitBackendMs'
  | 'waitCoordinatorMs'
  | 'drainTimeoutMs'
  | 'transport'
  | 'timing'
>;

/** The way to the coordinators. */
export interface Wire {
  readonly dial: (address: string) => WorkerClient;
  readonly startHeartbeat: (settings: BeatSettings, listener: HeartbeatListener) => Heartbeat;
  readonly stop: () => void;
}

export type BeatSettings = Omit<HeartbeatSettings, 'runId' | 'tls' | 'maxLoopBlockMs' | 'logLevel' | 'lag'>;

/** What a worker is joined from. main.ts makes it of the machine that it runs on, the simulation of its world. */
export interface WorkOptions {
  readonly settings: WorkSettings;
  /** Of this process start (L26). */
  readonly bootNonce: string;
  readonly pid: number;
  /** `onShortage` hears what the disk of the outbox lacks, and null once there is room again. */
  readonly diskSpace: (onShortage: (shortage: string | null) => void) => WaitForDiskSpace;
  readonly openOutbox: (waitForDiskSpace: WaitForDiskSpace) => Promise<Outbox>;
  readonly openBackend: () => Promise<Backend>;
  readonly answers: Pick<AnswerBudget, 'keep'>;
  readonly connect: () => Promise<Wire>;
  readonly openKnownGood: (slots: Slots) => Promise<KnownGood>;
  /** Resolves when the hints have been read once; null where there is no file of hints. */
  readonly watchHints: (onHint: (hint: ComputeHint | null) => void) => Promise<Timer | null>;
  /** From now on the worker may be told what to do. */
  readonly onReady: (loop: WorkerLoop, state: State) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Executes items until the run is finished, or the worker has left. Rejects where it cannot go on. */
export async function work(options: WorkOptions): Promise<LoopEnd> {
  let loop: WorkerLoop | null = null;
  // Before the loop there is nobody to hear it.
  const waitForDiskSpace = options.diskSpace((shortage) => loop?.room(shortage));
  // What an earlier process has left is copied when the store is opened.
  await waitForDiskSpace(new AbortController().signal);
  const outbox = await options.openOutbox(waitForDiskSpace);
  let backend: Backend | null = null;
  let wire: Wire | null = null;
  try {
    backend = await options.openBackend();
    wire = await options.connect();
    loop = await createLoop(options, { outbox, backend, wire });
    return await run(options, loop);
  } finally {
    wire?.stop();
    await Promise.all([backend?.close(), outbox.close()]);
  }
}

interface Parts {
  readonly outbox: Outbox;
  readonly backend: Backend;
  readonly wire: Wire;
}

async function createLoop(options: WorkOptions, { outbox, backend, wire }: Parts): Promise<WorkerLoop> {
  const { settings, bootNonce, answers, openKnownGood, onReady, clock, random, log } = options;
  const link = createLink({ dial: wire.dial, isHostUnknown, addresses: settings.coordinators, clock, random, log });
  const slots = createSlots({ backend, requestTimeoutMs: settings.requestTimeoutMs, clock, random });
  const knownGood = await openKnownGood(slots);
  if (outbox.found.length > 0) log.info({ outcomes: outbox.found.length }, 'outcomes of an earlier start are handed over first');
  const heartbeat = wire.startHeartbeat(beatSettings(options, outbox), {
    onBeat: (beat) => loop.onBeat(beat),
    onFailure: (error) => loop.fail(error),
  });
  const state = newState(machineSettings(settings, backend, bootNonce), outbox.highestEpoch, outbox.found, clock.monotonicMs());
  const loop = new WorkerLoop({
    state,
    outbox,
    slots,
    knownGood,
    link,
    heartbeat,
    answers,
    ask: (endpoint, tries, signal) => askReadiness({ backend, clock, random }, endpoint, tries, signal),
    tickMs: Math.min(MAX_TICK_MS, settings.timing.heartbeatIntervalMs),
    clock,
    log,
  });
  onReady(loop, state);
  return loop;
}

async function run({ watchHints }: WorkOptions, loop: WorkerLoop): Promise<LoopEnd> {
  const ended = loop.run();
  const hints = watchHints((hint) => loop.hint(hint));
  hints.catch((error: unknown) => loop.fail(error));
  try {
    return await ended;
  } finally {
    (await hints)?.stop();
  }
}

function beatSettings({ settings, bootNonce, pid }: WorkOptions, { highestEpoch }: Outbox): BeatSettings {
  const { workerId, coordinators, concurrency, node, transport, timing } = settings;
  const { heartbeatIntervalMs } = timing;
  return { workerId, bootNonce, coordinators, concurrency, pid, node, heartbeatIntervalMs, transport, highestEpoch };
}

function machineSettings(settings: WorkSettings, { endpoints }: Backend, bootNonce: string): MachineSettings {
  const { workerId, concurrency, prefetch, requestTimeoutMs, waitBackendMs, drainTimeoutMs, waitCoordinatorMs, transport, timing } =
    settings;
  return {
    endpoints,
    requestTimeoutMs,
    waitBackendMs,
    workerId,
    bootNonce,
    concurrency,
    prefetch,
    drainTimeoutMs,
    waitCoordinatorMs,
    transport,
    heartbeatIntervalMs: timing.heartbeatIntervalMs,
    pollWaitMs: timing.pollWaitMs,
    selfFenceTimeoutMs: timing.workerSelfFenceTimeoutMs,
  };
}
