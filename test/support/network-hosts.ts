import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { until } from './until.ts';

const START_MS = 30_000;

/** One host: network, processes and mounts of its own, on this machine. */
interface Host {
  readonly name: string;
  readonly namespace: string;
  /** The address by which the others know it. */
  readonly address: string;
  init: ChildProcess | null;
}

export interface HostEnd {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Hosts that are wired pair by pair, by Linux namespaces. They share one directory, which each has at /mnt/run; /var/lib and /var/tmp are
 * each host's own. Making them needs root; where that is refused the test fails and says so.
 */
export class NetworkHosts {
  readonly #hosts: readonly Host[];
  readonly #shared: string;
  readonly #bin: string;

  private constructor(hosts: readonly Host[], shared: string, bin: string) {
    this.#hosts = hosts;
    this.#shared = shared;
    this.#bin = bin;
  }

  /** `bin`: a directory with commands that every host has. */
  static async create(t: ExecutionContext, names: readonly string[], shared: string, bin: string): Promise<NetworkHosts> {
    const hosts = names.map((name, n) => ({ name, namespace: `rollout-${process.pid}-${name}`, address: `10.88.${n}.1`, init: null }));
    const all = new NetworkHosts(hosts, shared, bin);
    t.teardown(() => all.#remove());
    for (const host of hosts) all.#add(host);
    for (const [n, host] of hosts.entries()) for (const [m, other] of hosts.slice(n + 1).entries()) wire(host, other, `10.99.${n * 8 + m}`);
    for (const host of hosts) await all.#boot(host);
    return all;
  }

  /** Runs a script there with `sh`; what it starts in the background stays. */
  async run(name: string, script: string): Promise<HostEnd> {
    const child = this.#start(name, script);
    let [stdout, stderr] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const [exit] = (await once(child, 'exit')) as [number | null];
    return { exit: exit ?? -1, stdout, stderr };
  }

  /** Nothing passes between the two from now on, and nobody is told. */
  cut(name: string, other: string): void {
    ip('-n', this.#host(name).namespace, 'link', 'set', 'dev', `to-${other}`, 'down');
  }

  /** As if its machine had lost power. */
  async kill(name: string): Promise<void> {
    const { init } = this.#host(name);
    if (init === null || init.exitCode !== null || init.signalCode !== null) return;
    const ended = once(init, 'exit');
    init.kill('SIGKILL');
    await ended;
  }

  #add({ namespace, address }: Host): void {
    ip('netns', 'add', namespace);
    ip('-n', namespace, 'link', 'set', 'dev', 'lo', 'up');
    ip('-n', namespace, 'addr', 'add', `${address}/32`, 'dev', 'lo');
    const dir = join('/etc/netns', namespace);
    mkdirSync(dir, { recursive: true });
    const lines = this.#hosts.map((host) => `${host.address} ${host.name}\n`);
    writeFileSync(join(dir, 'hosts'), `127.0.0.1 localhost\n${lines.join('')}`);
  }

  /** Its first process, with which all others end. */
  async #boot(host: Host): Promise<void> {
    const mounts = [
      ...['/mnt', '/var/lib', '/var/tmp'].map((dir) => `mount -t tmpfs -o mode=0755 tmpfs ${dir}`),
      `mkdir /mnt/run && mount --bind "${this.#shared}" /mnt/run`,
      'echo up && exec sleep infinity',
    ];
    const enter = ['netns', 'exec', host.namespace, 'unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
    const init = spawn('ip', [...enter, 'sh', '-c', mounts.join(' && ')], { stdio: ['ignore', 'pipe', 'inherit'] });
    host.init = init;
    let said = '';
    init.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    await until(`${host.name} is up`, START_MS, () => said.includes('up'));
  }

  #start(name: string, script: string): ChildProcess {
    const { init } = this.#host(name);
    // unshare waits for the first process of the host.
    const [first = ''] = readFileSync(`/proc/${init?.pid}/task/${init?.pid}/children`, 'utf8').trim().split(' ');
    const env = { ...process.env, PATH: `${this.#bin}:${process.env['PATH'] ?? ''}` };
    return spawn('nsenter', ['--target', first, '--net', '--mount', '--pid', 'sh', '-c', `cd /var/tmp && ${script}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env,
    });
  }

  async #remove(): Promise<void> {
    for (const host of this.#hosts) {
      await this.kill(host.name);
      try {
        ip('netns', 'del', host.namespace);
      } finally {
        rmSync(join('/etc/netns', host.namespace), { recursive: true, force: true });
      }
    }
  }

  #host(name: string): Host {
    const host = this.#hosts.find((one) => one.name === name);
    if (host === undefined) throw new Error(`there is no host ${name}`);
    return host;
  }
}

/** A directory with the command `rollout`, which every host then has. */
export function rolloutCommand(dir: string, launcher: string): string {
  const path = join(dir, 'rollout');
  writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "${launcher}" "$@"\n`);
  chmodSync(path, 0o755);
  return dir;
}

/** A cable between two hosts, each end named after the other host, and the ways to each other's address. */
function wire(one: Host, other: Host, net: string): void {
  const [near, far] = [`to-${other.name}`, `to-${one.name}`];
  ip('link', 'add', 'name', near, 'netns', one.namespace, 'type', 'veth', 'peer', 'name', far, 'netns', other.namespace);
  for (const [host, device, own, peer, address] of [
    [one, near, `${net}.1`, `${net}.2`, other.address],
    [other, far, `${net}.2`, `${net}.1`, one.address],
  ] as const) {
    ip('-n', host.namespace, 'addr', 'add', `${own}/30`, 'dev', device);
    ip('-n', host.namespace, 'link', 'set', 'dev', device, 'up');
    ip('-n', host.namespace, 'route', 'add', `${address}/32`, 'via', peer, 'dev', device, 'src', host.address);
  }
}

function ip(...args: readonly string[]): void {
  try {
    execFileSync('ip', args, { encoding: 'utf8', stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (cause) {
    throw new Error(`this test needs hosts of its own, and may not make them (run it as root, with iproute2): ip ${args.join(' ')}`, {
      cause,
    });
  }
}
