import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { ToChild, ToParent } from '../../base/process/supervised.ts';
import type { Environment } from '../process-config.ts';
import { logSize } from './log-tail.ts';
import type { ProcessEnd } from './restart.ts';

/** How a process of a run is started. */
export interface ChildPlan {
  readonly name: string;
  /** The launcher and its arguments. */
  readonly argv: readonly string[];
  readonly env: Environment;
  readonly logFile: string;
}

export interface Child {
  readonly pid: number;
  /** Where its lines begin in the log of its name. */
  readonly logFromByte: number;
  readonly ended: Promise<ProcessEnd>;
  tell(message: ToChild): void;
  signal(name: 'SIGTERM' | 'SIGKILL'): void;
}

export type StartChild = (plan: ChildPlan, onMessage: (message: ToParent) => void) => Promise<Child>;

/**
 * Starts processes in their own groups, so that Ctrl-C on the terminal reaches only the parent, with their output in a log and a
 * channel whose end tells them that the parent is gone.
 */
export function childStarter(execPath: string, clock: Clock): StartChild {
  return async (plan, onMessage) => {
    await mkdir(dirname(plan.logFile), { recursive: true });
    const logFromByte = await logSize(plan.logFile);
    const log = await open(plan.logFile, 'a');
    try {
      const child = spawn(execPath, [...plan.argv], {
        detached: true,
        stdio: ['ignore', log.fd, log.fd, 'ipc'],
        env: { ...plan.env },
      });
      const watched = watch(child, logFromByte, clock, onMessage);
      await once(child, 'spawn');
      return watched(child.pid ?? 0);
    } finally {
      await log.close();
    }
  };
}

/** Listens from the first moment; the answer becomes the child once it has its pid. */
function watch(child: ChildProcess, logFromByte: number, clock: Clock, onMessage: (message: ToParent) => void): (pid: number) => Child {
  const startedMs = clock.monotonicMs();
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal, ranMs: clock.monotonicMs() - startedMs }));
  });
  child.on('message', (message) => onMessage(message as ToParent));
  // A message to a process that is just ending fails; its exit is what counts, and that is heard above.
  child.on('error', ignoreLateMessage);
  return (pid) => ({
    pid,
    logFromByte,
    ended,
    tell: (message) => {
      if (child.connected) child.send(message, ignoreLateMessage);
    },
    signal: (name) => {
      child.kill(name);
    },
  });
}

function ignoreLateMessage(): void {
  // Nothing to do: see where it is passed.
}
