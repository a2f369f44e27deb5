import type { Writable } from 'node:stream';
import type { Clock } from '../../runtime/base/clock.ts';
import type { Random } from '../../runtime/base/random.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Transport } from '../kube/transport.ts';

/** What the verbs use of the world; main.ts gives the real one. */
export interface K8sDeps {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly namespace: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Answers: what a script reads. */
  readonly out: Writable;
  /** For people: progress, notices, mistakes. */
  readonly err: Writable;
}
