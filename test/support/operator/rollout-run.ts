import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { ExecutionContext } from 'ava';
import type { CliWorld } from '../../../operator/cli/deps.ts';
import { main } from '../../../operator/cli/main.ts';
import type { KubeObject } from '../../../operator/kube/object.ts';
import { systemClock } from '../../../runtime/base/clock.ts';
import { seededRandom } from '../../../runtime/base/random.ts';
import { temporaryDir } from '../temporary-dir.ts';
import { KubeServer } from './kube-server.ts';
import { NOW, runOf } from './run-world.ts';
import { time } from './time.ts';

export interface Said {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

export const RUNS = '/apis/rollout.run/v1alpha1/namespaces/team/rolloutruns';
export const PODS = '/api/v1/namespaces/team/pods';
export const CONFIG_MAPS = '/api/v1/namespaces/team/configmaps';
export const EVENTS = '/api/v1/namespaces/team/events';

/** `kubectl rollout-run` in this process, and the API server that it asks. */
export class Stage {
  readonly server: KubeServer;
  readonly dir: string;
  readonly address: string;
  readonly onInterrupt: Set<() => void> = new Set();

  private constructor(dir: string, server: KubeServer, address: string) {
    this.dir = dir;
    this.server = server;
    this.address = address;
  }

  static async open(t: ExecutionContext): Promise<Stage> {
    const server = new KubeServer();
    const stage = new Stage(temporaryDir(t), server, await server.start(t));
    stage.write('kubeconfig', kubeconfig(stage.address));
    return stage;
  }

  /** A file of the stage's folder, where the command is given. */
  write(name: string, text: string | Buffer): void {
    writeFileSync(join(this.dir, name), text);
  }

  /** The run `answers` as runOf has it. */
  putRun(spec: object = {}, status?: object, metadata: object = {}): KubeObject {
    return this.server.put(RUNS, runOf(spec, status, { creationTimestamp: time(-600), ...metadata }));
  }

  async run(args: readonly string[], world: Partial<CliWorld> & { readonly input?: string } = {}): Promise<Said> {
    const { input = '', ...more } = world;
    const [out, err] = [new Kept(), new Kept()];
    const exit = await main(['--kubeconfig', join(this.dir, 'kubeconfig'), ...args], {
      cwd: this.dir,
      nodeVersion: '24.0.0',
      clock: HASTY,
      random: seededRandom(1),
      stdin: Readable.from([input]),
      canAsk: false,
      out,
      isTerminal: false,
      err,
      isDrawable: false,
      onInterrupt: (handle) => {
        this.onInterrupt.add(handle);
        return () => this.onInterrupt.delete(handle);
      },
      ...more,
    });
    return { exit, out: out.text, err: err.text };
  }
}

/** Waits pass a hundred times as fast; deadlines of calls keep a tenth of their time, since the calls are real. */
const HASTE = 100;
const HASTY: CliWorld['clock'] = {
  ...systemClock,
  wallMs: () => NOW,
  monotonicMs: () => systemClock.monotonicMs() * HASTE,
  sleep: async (ms, signal) => systemClock.sleep(ms / HASTE, signal),
  after: (ms, run) => systemClock.after(ms / 10, run),
};

export class Kept extends Writable {
  text = '';
  readonly isTTY = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

function kubeconfig(server: string): string {
  return JSON.stringify({
    clusters: [{ name: 'cluster', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'user', user: { token: 'secret-token' } }],
    contexts: [{ name: 'context', context: { cluster: 'cluster', user: 'user', namespace: 'team' } }],
    'current-context': 'context',
  });
}
