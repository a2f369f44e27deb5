import { MAX_CONCURRENCY } from '../model/limits.ts';

/** The settings of worker.yaml, but for those of backend.ts and timing.ts. */
export const WORKER = {
  coordinators: { kind: 'hostPorts', least: 1, text: 'list of host:port' },
  workerId: { kind: 'workerId', text: 'name of the worker; stays the same over restarts' },
  stateDir: { kind: 'text', text: 'its own store: results that are not yet acknowledged' },
  'tls.dir': { kind: 'text', text: "certificates (on the coordinator's host: its `tls` directory)" },
  // Keeps a batching model server busy without overrunning its queue.
  concurrency: {
    kind: 'count',
    least: 1,
    most: MAX_CONCURRENCY as number,
    default: 64,
    flags: '--concurrency <n>',
    text: 'most items in flight per worker, over all its servers; fewer where a server carries less',
  },
  prefetch: {
    kind: 'count',
    least: 1,
    most: MAX_CONCURRENCY as number,
    otherwise: 'none',
    text: 'most items held ready beyond those that run',
    more: '. Without it their number follows the time that items take: as many as end within a second and the time in which new ones come, at most 1,024 (or `concurrency`, where that is more), 16 MiB of lines, and what can start within four seconds; a quarter of `concurrency` before any item has ended',
  },
  // As long as OpenAI's own clients wait: a long answer takes minutes.
  requestTimeout: {
    kind: 'duration',
    default: '600s',
    flags: '--timeout <duration>',
    text: 'of one request, until its answer is whole',
  },
  // A large model takes minutes to load.
  waitBackend: {
    kind: 'duration',
    default: '15m',
    flags: '--wait-backend <duration>',
    text: 'end with 4, everything kept, where no server has worked for so long',
  },
  // A coordinator's host may have to be replaced; a machine that is paid for must not wait for ever.
  waitCoordinator: {
    kind: 'interval',
    default: '15m',
    text: 'how long no coordinator may answer before the worker gives up (exit 4); not for workers of `rollout run`, which end with it',
  },
  // What orchestrators usually leave between SIGTERM and SIGKILL.
  terminationGracePeriod: {
    kind: 'duration',
    default: '30s',
    text: 'what is left between SIGTERM and SIGKILL: a drain takes at most 75 % of it, unless a hint or an order names less',
  },
  node: { kind: 'oneLine', default: '', text: 'name of the machine, by which hints find the worker' },
  'hints.file': { kind: 'text', otherwise: 'none', text: 'file with hints for this worker, see above; it need not exist yet' },
  // Reading hundreds of megabytes of JSON takes seconds; nothing that still works takes a minute.
  maxLoopBlock: {
    kind: 'interval',
    default: '60s',
    text: 'a worker whose main loop hangs for so long ends itself, so that its items run elsewhere',
  },
  logLevel: {
    kind: 'choice',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
    default: 'info',
    flags: '--log-level <level>',
    text: 'as in coordinator.yaml',
  },
  // A stream carries several times the messages per second; polls pass where a proxy lets no stream through.
  'transport.mode': {
    kind: 'choice',
    choices: ['stream', 'poll'],
    default: 'stream',
    text: 'how the worker speaks with its coordinator: over streams, one for its work and one for its beats, or by single calls where a proxy in between lets no stream through',
  },
} as const;
