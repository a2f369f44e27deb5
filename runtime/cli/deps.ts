import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../base/clock.ts';
import type { ExitCode } from '../base/exit.ts';
import type { Log } from '../base/log.ts';
import { printable } from '../base/printable.ts';
import type { Environment } from './process-config.ts';

/** What the verbs use of the world; main.ts gives the real one. */
export interface CliDeps {
  readonly cwd: string;
  readonly env: Environment;
  /** Of the user; this process makes files for their owner alone. */
  readonly umask: number;
  readonly execPath: string;
  /** Where this program's launchers are. */
  readonly launcherOf: (name: 'coordinator' | 'worker') => string;
  readonly clock: Clock;
  readonly log: Log;
  readonly stdin: Readable;
  /** Answers: what a script reads. */
  readonly out: Writable;
  /** For people: bar, notices, mistakes. */
  readonly err: Writable;
  /** A line on `err` may be drawn over. */
  readonly isDrawable: boolean;
  /** Calls back on every Ctrl-C and SIGTERM; the answer ends that. */
  readonly onInterrupt: (handle: () => void) => () => void;
  readonly coordinatorMain: (argv: readonly string[]) => Promise<ExitCode>;
  readonly workerMain: (argv: readonly string[]) => Promise<ExitCode>;
  /** `kubectl rollout-run`, which is a program of its own. */
  readonly kubectlMain: (argv: readonly string[]) => Promise<ExitCode>;
}

/** For people: what an input or a server has sent never reaches their terminal as it is. */
export function say(to: Writable, lines: readonly string[]): void {
  for (const line of lines) to.write(`${printable(line)}\n`);
}

export function sayJson(to: Writable, value: unknown): void {
  to.write(`${JSON.stringify(value)}\n`);
}
