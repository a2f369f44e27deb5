import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../runtime/base/clock.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Transport } from '../kube/transport.ts';

/** What the program uses of the world; main.ts gives the real one. */
export interface CliWorld {
  readonly cwd: string;
  /** Of this process, such as `24.1.0`. */
  readonly nodeVersion: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly stdin: Readable;
  /** A person is at stdin, and can be asked. */
  readonly canAsk: boolean;
  /** Answers: what a script reads. */
  readonly out: Writable;
  /** `out` is a terminal. */
  readonly isTerminal: boolean;
  /** For people: progress, notices, mistakes. */
  readonly err: Writable;
  /** A line on `err` may be drawn over. */
  readonly isDrawable: boolean;
  /** Calls back on every Ctrl-C and SIGTERM; the answer ends that. */
  readonly onInterrupt: (handle: () => void) => () => void;
}

/** What the verbs that ask a cluster use besides. */
export interface K8sDeps extends CliWorld {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly namespace: string;
}
