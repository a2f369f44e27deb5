import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { NetworkHosts, rolloutCommand } from '../support/network-hosts.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** docs/several-hosts.md, pasted block by block. */

const LAUNCHER = fileURLToPath(new URL('../../runtime/cli.js', import.meta.url));
const PAGE = fileURLToPath(new URL('../../docs/several-hosts.md', import.meta.url));
/** Hosts with a coordinator and a worker. */
const WORKING: readonly string[] = ['host-a', 'host-b'];
const ITEMS = 1_200;
/** The slots of a worker, and as many that it holds ready. */
const MOST_IN_HAND = 128;
const AFTER_MS = 400;
/** Items that are asked for. */
const UNDER_WAY = 100;
/** The lease runs out after 5 s, and a busy machine needs its time. */
const TAKEOVER_MS = 30_000;

interface Block {
  readonly kind: 'sh' | 'yaml';
  /** A host, or a path; or several hosts, with a path behind them where each has its own copy. */
  readonly where: string;
  /** Before the run is under way, while it is, or after its end; `alone` where hosts share no directory. */
  readonly when: string;
  readonly text: string;
}

function blocksOf(page: string): readonly Block[] {
  return [...page.matchAll(/^```(sh|yaml) (\S+)(?: (meanwhile|after|alone|alone-after))?\n(.*?)^```$/gms)].map(
    ([, kind = '', where = '', when = 'before', text = '']) => {
      if (kind !== 'sh' && kind !== 'yaml') throw new Error(`a block of ${kind}`);
      return { kind, where, when, text };
    },
  );
}

interface Run {
  readonly hosts: NetworkHosts;
  readonly server: ModelServer;
  /** `host`: in place of the one that the page names. */
  paste(when: 'meanwhile' | 'after', host?: string): Promise<void>;
  results(): number;
}

interface Stage {
  readonly hosts: NetworkHosts;
  readonly server: ModelServer;
  readonly shared: string;
}

/** Hosts with a model server and a list, before anything of the page was done. */
async function staged(t: ExecutionContext): Promise<Stage> {
  const dir = scratch(t);
  const [shared, bin] = [join(dir, 'shared'), join(dir, 'bin')];
  mkdirSync(shared);
  mkdirSync(bin);
  writeFileSync(
    join(shared, 'prompts.jsonl'),
    batchLines(ITEMS)
      .map((line) => `${line}\n`)
      .join(''),
  );
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: AFTER_MS }));
  await offer(t, server, join(shared, 'model.sock'));
  copyCommand(bin);
  const hosts = await NetworkHosts.create(t, [...WORKING, 'redis-host'], shared, rolloutCommand(bin, LAUNCHER));
  t.teardown(async () => {
    if (t.passed) return;
    for (const host of WORKING) t.log(host, (await hosts.run(host, 'tail -n 30 /var/tmp/*.log')).stdout);
  });
  for (const host of WORKING) await hosts.run(host, modelServerThere());
  return { hosts, server, shared };
}

/** All that the page says, until the run is under way. */
async function pasted(t: ExecutionContext): Promise<Run> {
  const { hosts, server, shared } = await staged(t);
  const blocks = blocksOf(readFileSync(PAGE, 'utf8'));
  const paste = async (now: string, host?: string): Promise<void> => {
    for (const { kind, where, when, text } of blocks) {
      if (when !== now) continue;
      if (kind === 'yaml') writeFileSync(where.replace('/mnt/run', shared), text);
      else {
        const end = await hosts.run(host ?? where, text);
        t.is(end.exit, 0, `${where}: ${text}\n${end.stdout}${end.stderr}`);
      }
    }
  };
  await paste('before');
  const output = join(shared, 'answers.jsonl');
  const results = (): number => (existsSync(output) ? readFileSync(output, 'utf8').trimEnd().split('\n').length : 0);
  await until('the run is under way', PATIENCE_MS, () => server.total() >= UNDER_WAY);
  await paste('meanwhile');
  return { hosts, server, paste, results };
}

/** A socket in the shared directory leads to the server: no network is needed for that. */
async function offer(t: ExecutionContext, { url }: ModelServer, path: string): Promise<void> {
  const through = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const one of [near, far]) one.on('error', () => [near, far].map((both) => both.destroy()));
    near.pipe(far).pipe(near);
  }).listen(path);
  await until('the way to the model server is there', PATIENCE_MS, () => existsSync(path));
  t.teardown(() => through.close());
}

/** 127.0.0.1:8000 of a host, where its model server is. */
function modelServerThere(): string {
  const script =
    "const net = require('node:net'); net.createServer((near) => { const far = net.connect('/mnt/run/model.sock'); for (const one of [near, far]) one.on('error', () => { near.destroy(); far.destroy(); }); near.pipe(far).pipe(near); }).listen(8000, '127.0.0.1')";
  return `nohup "${process.execPath}" -e "${script}" > /dev/null 2>&1 &`;
}

/** `scp` of the hosts: they have no server for it here, so files go over the directory that they share for the test. */
function copyCommand(bin: string): void {
  const lines = [
    '#!/bin/sh',
    'for last in "$@"; do :; done',
    'for from in "$@"; do',
    '  if test "$from" = "$last"; then break; fi',
    '  echo "$from" > /mnt/run/wanted',
    '  until test -e /mnt/run/copied; do sleep 0.1; done',
    '  cp /mnt/run/copied "$last/$(basename "$from")" && rm /mnt/run/copied',
    'done',
  ];
  writeFileSync(join(bin, 'scp'), `${lines.join('\n')}\n`, { mode: 0o755 });
}

/** Carries what is copied from host to host, until the script has ended. */
async function carryingFiles<T>({ hosts, shared }: Stage, script: Promise<T>): Promise<T> {
  const wanted = join(shared, 'wanted');
  let hasEnded = false;
  const ended = script.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    const [, host = '', path = ''] = (existsSync(wanted) && /^([\w-]+):(\S+)\n$/.exec(readFileSync(wanted, 'utf8'))) || [];
    if (host === '') await sleep(50);
    else {
      rmSync(wanted);
      await hosts.run(host, `cp ${path} /mnt/run/copying && mv /mnt/run/copying /mnt/run/copied`);
    }
  }
  return ended;
}

/** The blocks of the section on hosts that share nothing, one after the other; `hosts:path` is a file, `hosts` a script. */
async function pasteAlone(t: ExecutionContext, stage: Stage, now: 'alone' | 'alone-after'): Promise<void> {
  for (const { kind, where, when, text } of blocksOf(readFileSync(PAGE, 'utf8'))) {
    if (when !== now) continue;
    const [named = '', path = ''] = where.split(':');
    const script = kind === 'yaml' ? `cat > ${path} <<'END'\n${text}END\n` : text;
    for (const host of named.split(',')) {
      const end = await carryingFiles(stage, stage.hosts.run(host, script));
      t.is(end.exit, 0, `${host}: ${script}\n${end.stdout}${end.stderr}`);
    }
  }
}

test.serial('hosts that share no directory: the page as it stands leads to the same output on both', async (t) => {
  t.timeout(400_000);
  const stage = await staged(t);
  const { hosts, server } = stage;
  const [ledger] = blocksOf(readFileSync(PAGE, 'utf8')).filter(({ where }) => where === 'redis-host');
  t.is((await hosts.run('redis-host', ledger?.text ?? 'false')).exit, 0);
  for (const host of WORKING) await hosts.run(host, 'mkdir -p /var/lib/rollout && cp /mnt/run/prompts.jsonl /var/lib/rollout/');
  await pasteAlone(t, stage, 'alone');
  await until('the run is under way', PATIENCE_MS, () => server.total() >= UNDER_WAY);
  const outputs: string[] = [];
  for (const host of WORKING)
    outputs.push(
      await until(`${host} has written the output`, PATIENCE_MS, async () => {
        const { exit, stdout } = await hosts.run(host, 'cat /var/lib/rollout/answers.jsonl');
        return exit === 0 && stdout;
      }),
    );
  t.is(outputs[0]?.trimEnd().split('\n').length, ITEMS);
  t.is(outputs[1], outputs[0]);
  await pasteAlone(t, stage, 'alone-after');
  t.deepEqual(server.repeated(), []);
});

/** The host whose coordinator has won the lease in this way. */
function wonBy({ hosts }: Run, how: 'lease_acquired' | 'lease_stolen'): Promise<string> {
  return until(`a coordinator says ${how}`, TAKEOVER_MS, async () => {
    for (const host of WORKING) {
      const { stdout } = await hosts.run(host, 'cat /var/tmp/coordinator.log');
      if (stdout.includes(`"kind":"${how}"`)) return host;
    }
    return undefined;
  });
}

async function proven(run: Run, host: string): Promise<void> {
  await until('the run is over', PATIENCE_MS, () => run.results() === ITEMS);
  await run.paste('after', host);
}

test.serial('a leader that is cut off from Redis alone lets its workers go, and nothing is executed again', async (t) => {
  t.timeout(400_000);
  const run = await pasted(t);
  const leader = await wonBy(run, 'lease_acquired');
  run.hosts.cut('redis-host', leader);
  const cutMs = performance.now();
  const successor = await wonBy(run, 'lease_stolen');
  t.log(`took over after ${Math.round(performance.now() - cutMs)} ms`);
  t.not(successor, leader);
  await proven(run, successor);
  t.deepEqual(run.server.repeated(), []);
});

test.serial('a host that vanishes with the leader and a worker costs what that worker had in hand', async (t) => {
  t.timeout(400_000);
  const run = await pasted(t);
  const leader = await wonBy(run, 'lease_acquired');
  await run.hosts.kill(leader);
  await proven(run, WORKING.find((host) => host !== leader) ?? '');
  t.true(run.server.repeated().length <= MOST_IN_HAND, `${run.server.repeated().length} items were executed again`);
});
