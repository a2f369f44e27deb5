import { existsSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { readEpochMark } from '../../runtime/run-dir/epoch-mark.ts';
import { statePaths } from '../../runtime/run-dir/paths.ts';
import { batchLines } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { hostSettings } from '../support/inline-hosts.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { type RedisServer, redisServer } from '../support/redis-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, type Standalone, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

/** What a host knows of a run on a Redis server that has lost it, where it shares nothing else with the other hosts (L3). */

const ITEMS = 30;

class Hosts {
  readonly redis: RedisServer;
  readonly server: ModelServer;
  readonly run: Standalone;

  constructor(redis: RedisServer, server: ModelServer, run: Standalone) {
    this.redis = redis;
    this.server = server;
    this.run = run;
  }

  /** A host with a coordinator at a port of its own. */
  async host(name: string): Promise<Host> {
    return new Host(this, name, await freePort());
  }

  /** The list is executed, under the coordinator of this host alone. */
  async finish(t: ExecutionContext, coordinator: Command, { port }: Host): Promise<void> {
    const worker = this.run.startWorker('w', [port]);
    t.is(await exitOf(coordinator, PATIENCE_MS), 0, coordinator.stderr());
    t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
    t.is(this.server.total(), ITEMS);
  }
}

class Host {
  readonly port: number;
  readonly #hosts: Hosts;
  readonly #name: string;
  readonly #settings: ReturnType<typeof hostSettings>;

  constructor(hosts: Hosts, name: string, port: number) {
    this.#hosts = hosts;
    this.#name = name;
    this.port = port;
    this.#settings = hostSettings(hosts.run, name, hosts.redis);
  }

  get state(): string {
    return this.#settings.stateDir;
  }

  get output(): string {
    return this.#settings.output;
  }

  get marks(): string {
    return statePaths(this.state).epochMark;
  }

  start(further: Readonly<Record<string, unknown>> = {}): Command {
    return this.#hosts.run.startCoordinator(this.#name, this.port, { ...this.#settings, ...further });
  }

  async lead(epoch: number): Promise<Command> {
    const coordinator = this.start();
    const won = await leaseEpoch(coordinator, PATIENCE_MS);
    if (won !== epoch) throw new Error(`${this.#name} leads under epoch ${won}, not ${epoch}`);
    return coordinator;
  }

  async hasSeen(epoch: number): Promise<void> {
    await until(`${this.#name} keeps epoch ${epoch}`, PATIENCE_MS, async () => (await readEpochMark(this.marks)) === epoch);
  }

  /** It waits until it has seen this epoch, and is killed. */
  async waitAndDie(epoch: number): Promise<void> {
    const coordinator = this.start();
    await this.hasSeen(epoch);
    await killed(coordinator);
  }

  /** Twice: the first refusal leaves nothing behind that lets the second start pass. */
  async refuses(t: ExecutionContext, wanted: RegExp): Promise<void> {
    for (let start = 0; start < 2; start += 1) {
      const refused = this.start();
      t.is(await exitOf(refused, PATIENCE_MS), 2, refused.stderr());
      t.regex(refused.stderr(), wanted);
      t.regex(
        refused.stderr(),
        /newest copy of its data.*start over with --fresh.*`rollout coordinator run`, move the state directory aside/,
      );
    }
    t.false(existsSync(this.output), 'nothing is exported');
  }
}

async function staged(t: ExecutionContext): Promise<Hosts> {
  const redis = await redisServer(t);
  const server = await modelServer(t);
  return new Hosts(redis, server, standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 4 }));
}

async function killed(coordinator: Command): Promise<void> {
  coordinator.signal('SIGKILL');
  await coordinator.exited;
}

const LOSSES: Readonly<Record<string, (redis: RedisServer) => Promise<void>>> = {
  'has expired': async (redis) => {
    const client = redis.client();
    for (const key of await client.keys('*')) await client.pexpire(key, 1);
    await until('the keys have expired', PATIENCE_MS, async () => (await client.dbsize()) === 0);
  },
  'was wiped': async (redis) => void (await redis.client().flushall()),
};

for (const [what, lose] of Object.entries(LOSSES)) {
  test(`L3: a finished run that ${what} is not begun again by a host whose coordinator only waited`, async (t) => {
    t.timeout(300_000);
    const hosts = await staged(t);
    const [a, b] = [await hosts.host('a'), await hosts.host('b')];
    const first = await a.lead(0);
    await b.waitAndDie(0);
    await hosts.finish(t, first, a);
    await lose(hosts.redis);

    await b.refuses(t, /The ledger is empty, but epoch 0 of this run was already in use/);
    t.is(await hosts.redis.client().dbsize(), 0, 'no key was made');
    const { exit, stderr } = await verb(['status', '--state', b.state], hosts.run.dir);
    t.is(exit, 2);
    t.regex(stderr, /has nothing of this run, but .* was at epoch 0 already/);
    t.is(hosts.server.total(), ITEMS, 'nothing is executed again');
  });
}

test('L3: a host that was never there begins an expired run again; one that waited does so on purpose, as its error says', async (t) => {
  t.timeout(300_000);
  const hosts = await staged(t);
  const [a, b, c] = [await hosts.host('a'), await hosts.host('b'), await hosts.host('c')];
  const first = await a.lead(0);
  await b.waitAndDie(0);
  await hosts.finish(t, first, a);
  await hosts.redis.client().flushall();
  await killed(await c.lead(0));
  await hosts.redis.client().flushall();
  await b.refuses(t, /epoch 0 of this run/);

  renameSync(b.state, `${b.state}.aside`);
  const tls = { dir: join(hosts.run.dir, 'new.tls') };
  const again = b.start({ runId: '01BX5ZZKBKACTAV9WEVGEMMVRZ', tls });
  t.is(await leaseEpoch(again, PATIENCE_MS), 0);
  const worker = hosts.run.startWorker('w2', [b.port], { tls });
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.is(hosts.server.total(), 2 * ITEMS);
});

test('L3: a server restored from a copy of before an epoch is refused on the host that only saw that epoch, as on the one that led', async (t) => {
  t.timeout(300_000);
  const hosts = await staged(t);
  const [a, b] = [await hosts.host('a'), await hosts.host('b')];
  await killed(await a.lead(0));
  const client = hosts.redis.client();
  const copies = await Promise.all((await client.keys('*')).map(async (key) => [key, await client.dumpBuffer(key)] as const));
  const second = await a.lead(1);
  await b.waitAndDie(1);
  await killed(second);
  await client.flushall();
  for (const [key, bytes] of copies) await client.restore(key, 0, bytes);

  for (const host of [b, a]) await host.refuses(t, /The ledger is at epoch 0, but epoch 1 of this run was already in use/);
  t.is(hosts.server.total(), 0);
});

test('L3: a server that is wiped while one host leads and another one waits is refused by both, then and later', async (t) => {
  t.timeout(300_000);
  const hosts = await staged(t);
  const [a, b] = [await hosts.host('a'), await hosts.host('b')];
  const [leads, waits] = [await a.lead(0), b.start()];
  await b.hasSeen(0);
  await hosts.redis.client().flushall();
  for (const one of [leads, waits]) t.is(await exitOf(one, PATIENCE_MS), 2, one.stderr());
  for (const host of [b, a]) await host.refuses(t, /is empty, but epoch 0/);
});

test('L3: a deposed coordinator keeps by which epoch, though nothing is started again on its host', async (t) => {
  t.timeout(300_000);
  const hosts = await staged(t);
  const [a, b] = [await hosts.host('a'), await hosts.host('b')];
  const deposed = await a.lead(0);
  const next = b.start();
  deposed.signal('SIGSTOP');
  t.is(await leaseEpoch(next, PATIENCE_MS), 1);
  deposed.signal('SIGCONT');
  t.is(await exitOf(deposed, PATIENCE_MS), 3, deposed.stderr());
  t.is(await readEpochMark(a.marks), 1);
});

test('L3: two coordinators of one host keep one mark, which only grows; while nothing changes nothing is written', async (t) => {
  t.timeout(300_000);
  const hosts = await staged(t);
  const [a, b] = [await hosts.host('a'), await hosts.host('b')];
  const sharing = { stateDir: b.state, output: b.output };
  const leads = await a.lead(0);
  const both = [b.start({ listen: '127.0.0.1:0' }), b.start({ listen: '127.0.0.1:0', ...sharing })];
  await b.hasSeen(0);
  for (const one of both) await until('it waits', PATIENCE_MS, () => one.stderr().includes('this one waits'));
  const before = statSync(b.marks).ctimeMs;
  await sleep(2_000);
  t.is(statSync(b.marks).ctimeMs, before, 'some fifty looks of both have written nothing');
  await killed(leads);
  await b.hasSeen(1);
  for (const one of both) await killed(one);
  t.deepEqual(readdirSync(b.marks).toSorted(), ['0', '1']);
});
