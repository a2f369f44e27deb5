import * as z from 'zod';
import type { Rules } from '../base/config/settings.ts';
import { type Given, loadSettings } from '../base/config/settings-file.ts';
import { sigtermDrainMs } from '../model/hint.ts';
import type { Transport } from '../model/session.ts';
import { checkTiming, type Timing } from '../model/timing.ts';
import { MOCK, OPENAI } from '../settings/backend.ts';
import { shapeOf } from '../settings/schema.ts';
import type { Read } from '../settings/setting.ts';
import { TIMING, timingOf } from '../settings/timing.ts';
import { WORKER } from '../settings/worker.ts';

type BackendFile = ({ readonly type: 'mock' } & Read<typeof MOCK>) | ({ readonly type: 'openai' } & Read<typeof OPENAI>);
type WorkerFile = Read<typeof WORKER & typeof TIMING> & { readonly backend: BackendFile };

/** What has another name or form once it is checked. */
type Changed = 'tls' | 'hints' | 'transport' | 'timing' | 'backend' | Measured;
type Measured = 'requestTimeout' | 'waitBackend' | 'waitCoordinator' | 'terminationGracePeriod' | 'maxLoopBlock';

/** The checked settings of a worker (worker.yaml). Relative paths are those of the working directory. */
export interface WorkerSettings extends Omit<WorkerFile, Changed> {
  readonly tlsDir: string;
  readonly requestTimeoutMs: number;
  readonly waitBackendMs: number;
  /** Infinity for a supervised worker, whose parent ends it. */
  readonly waitCoordinatorMs: number;
  /** How long a drain may take where nobody says. */
  readonly drainTimeoutMs: number;
  readonly maxLoopBlockMs: number;
  /** Null: there is no file with hints for this worker. */
  readonly hintsFile: string | null;
  readonly backend: BackendSettings;
  readonly transport: Transport;
  readonly timing: Timing;
}

export type BackendSettings = MockSettings | OpenaiSettings;

interface MockSettings extends Pick<Read<typeof MOCK>, 'failureRate' | 'seed'> {
  readonly type: 'mock';
  readonly latencyMs: number;
  readonly latencySpreadMs: number;
}

interface OpenaiSettings extends Omit<Read<typeof OPENAI>, 'baseUrl'> {
  readonly type: 'openai';
  /** At least one. */
  readonly baseUrls: readonly string[];
}

/** A supervised worker may begin without coordinators: its parent tells them. */
export async function loadWorkerSettings(path: string, isSupervised = false, given: Given = {}): Promise<WorkerSettings> {
  const file = await loadSettings(path, rules(isSupervised ? 0 : WORKER.coordinators.least), given);
  const { tls, requestTimeout, waitBackend, waitCoordinator, terminationGracePeriod, hints, maxLoopBlock, ...same } = file;
  return {
    ...same,
    tlsDir: tls.dir,
    requestTimeoutMs: requestTimeout,
    waitBackendMs: waitBackend,
    waitCoordinatorMs: isSupervised ? Number.POSITIVE_INFINITY : waitCoordinator,
    drainTimeoutMs: sigtermDrainMs(terminationGracePeriod),
    hintsFile: hints.file,
    maxLoopBlockMs: maxLoopBlock,
    backend: backendOf(file.backend),
    transport: file.transport.mode,
    timing: timingOf(file, null),
  };
}

function rules(leastCoordinators: number): Rules<WorkerFile> {
  const coordinators = { ...WORKER.coordinators, least: leastCoordinators };
  const backend = z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('mock'), ...shapeOf(MOCK) }),
    z.strictObject({ type: z.literal('openai'), ...shapeOf(OPENAI) }),
  ]);
  return {
    schema: z.strictObject({ ...shapeOf({ ...WORKER, ...TIMING, coordinators }), backend }),
    check: (file) => checkTiming(timingOf(file, null)),
  };
}

function backendOf(file: BackendFile): BackendSettings {
  if (file.type === 'mock') {
    const { latency, latencySpread, ...same } = file;
    return { ...same, latencyMs: latency, latencySpreadMs: latencySpread };
  }
  const { baseUrl, ...same } = file;
  return { ...same, baseUrls: baseUrl };
}
