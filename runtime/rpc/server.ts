import { Server, type ServerCredentials, setLogger } from '@grpc/grpc-js';
import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { inTime } from '../base/in-time.ts';
import type { Log } from '../base/log.ts';
import type { CoordinatorInfo } from '../model/status.ts';
import type { CoordinatorCore } from './core.ts';
import { CoordinatorService } from './gen/rollout/v1/coordinator_pb.ts';
import { RunService } from './gen/rollout/v1/run_pb.ts';
import { WorkerService } from './gen/rollout/v1/worker_pb.ts';
import { coordinatorHandlers, runHandlers, workerHandlers } from './handlers.ts';
import { serviceDefinition } from './method.ts';
import { SERVER_OPTIONS } from './options.ts';
import { Waiters } from './waiters.ts';

export interface ServerOptions {
  /** host:port; port 0 is the system's choice. */
  readonly listen: string;
  readonly credentials: ServerCredentials;
  readonly runId: string;
  readonly clock: Clock;
  readonly coordinatorInfo: () => CoordinatorInfo;
  /** Null while passive: then only Identify is answered. */
  readonly core: () => CoordinatorCore | null;
  readonly log: Log;
}

export interface RunningServer {
  /** host:port really bound. */
  readonly address: string;
  /** Answers waiting polls at once, takes no more calls, and after `graceMs` cuts what is left. */
  stop(graceMs: number): Promise<void>;
}

export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // grpc-js would write to stderr in a form of its own.
  setLogger({ error: (message: unknown) => options.log.debug({ message }, 'grpc') });
  const waiters = new Waiters();
  const serving = { ...options, waiters };
  const server = new Server(SERVER_OPTIONS);
  server.addService(serviceDefinition(WorkerService), workerHandlers(serving));
  server.addService(serviceDefinition(RunService), runHandlers(serving));
  server.addService(serviceDefinition(CoordinatorService), coordinatorHandlers(serving));
  const port = await bind(server, options);
  return {
    address: `${options.listen.slice(0, options.listen.lastIndexOf(':'))}:${port}`,
    stop: (graceMs) => {
      waiters.stop();
      return shutDown(server, options.clock, graceMs);
    },
  };
}

/** For cut connections to be gone; nothing that matters hangs on it. */
const FORCED_MS = 500;

async function bind(server: Server, { listen, credentials }: ServerOptions): Promise<number> {
  try {
    return await new Promise((resolve, reject) => {
      server.bindAsync(listen, credentials, (error, port) => (error === null ? resolve(port) : reject(error)));
    });
  } catch (error) {
    server.forceShutdown();
    const message = `cannot listen on ${listen}: is another process using the port? Change \`listen\`, or give port 0 for a free one`;
    throw new RolloutError('CONFIG_INVALID', message, { cause: error });
  }
}

/**
 * Calls in progress have `graceMs` to end, then they are cut off. A peer that connected and never finished its handshake is known to
 * nobody who could close it, and would hold up the closing of the port for ever: it is not waited for.
 */
async function shutDown(server: Server, clock: Clock, graceMs: number): Promise<void> {
  // An error only says that the server was not running any more.
  const closed = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  await inTime(clock, graceMs, closed);
  server.forceShutdown();
  await inTime(clock, FORCED_MS, closed);
}
