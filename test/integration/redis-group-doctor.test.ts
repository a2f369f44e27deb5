import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { redisCluster } from '../support/redis-cluster.ts';
import { GROUP, redisSentinels } from '../support/redis-sentinels.ts';
import { redisServer } from '../support/redis-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { verb } from '../support/verb.ts';

const asked = (url: string, ...more: readonly string[]) => verb(['doctor', '--redis', url, ...more], '/');

test('of a Cluster each primary is examined, and what stands in the way of a fail-over is told with its remedy', async (t) => {
  t.timeout(120_000);
  const cluster = await redisCluster(t, { replicas: 1 });
  const json = await asked(cluster.url, '--json');
  t.is(json.exit, 0, json.stderr);
  const { servers } = JSON.parse(json.stdout) as { readonly servers: readonly { readonly server: string }[] };
  const primaries = cluster.nodes.slice(0, 3).map(({ port }) => `127.0.0.1:${port}`);
  t.deepEqual(servers.map(({ server }) => server).toSorted(), primaries.toSorted());
  const told = await asked(cluster.url);
  for (const one of primaries) t.regex(told.stdout, new RegExp(`server: ${one}, a primary of the Cluster, may have a run; replicas: 1`));
  t.regex(told.stdout, /warned: .*cut off.*\n {4}remedy: set min-replicas-to-write 1/);
  const [one] = primaries;
  t.regex((await asked(`redis://${one}`)).stdout, /warned: the URL names one node.*\n {4}remedy: name several/);

  await cluster.nodes[1]?.client().config('SET', 'maxmemory-policy', 'allkeys-lru');
  const refused = await asked(cluster.url);
  t.is(refused.exit, 2);
  t.regex(refused.stdout, new RegExp(`no run can be kept here[^]*${primaries[1]}[^]*refused: maxmemory-policy is allkeys-lru`));
  await Promise.all(cluster.nodes.map((node) => node.kill()));
  const gone = await asked(cluster.url);
  t.is(gone.exit, 4);
  t.regex(gone.stderr, /ECONNREFUSED/);
});

test('by Sentinels their primary is examined, and so are they', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const primary = `127.0.0.1:${(await group.primary()).port}`;
  const whole = await asked(group.url);
  t.is(whole.exit, 0, whole.stderr);
  t.regex(whole.stdout, new RegExp(`server: ${primary}, the primary that the Sentinels name, may have a run; replicas: 2`));
  t.regex(whole.stdout, /remedy: set min-replicas-to-write 1/);
  t.notRegex(whole.stdout, /fail-over \(|do not answer/);
  const unknown = await asked(group.url.replace(GROUP, 'other'));
  t.is(unknown.exit, 2);
  t.regex(unknown.stderr, /no group of the name other/);
  await group.killSentinel(0);
  await group.killSentinel(1);
  const few = await asked(group.url);
  t.is(few.exit, 0, few.stderr);
  t.regex(few.stdout, /warned: 2 of 3 Sentinels do not answer/);
  const [, , port = 0] = group.ports;
  t.regex(
    (await asked(`redis+sentinel://127.0.0.1:${port}/${GROUP}`)).stdout,
    /warned: the URL names one Sentinel.*\n {4}remedy: name all/,
  );
  const plain = await asked(`redis://127.0.0.1:${port}`);
  t.is(plain.exit, 2);
  t.regex(plain.stdout, /refused: this is a Redis Sentinel.*\n {4}remedy: .*redis\+sentinel:\/\//);
});

test('a node that has no slots, and a Cluster that lacks some, are told with what to do', async (t) => {
  const node = await redisServer(t, ['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())]);
  const { exit, stderr } = await asked(node.url);
  t.is(exit, 4);
  t.regex(stderr, /CLUSTERDOWN.*CLUSTER NODES/);
  const run = makeRun(t, { lines: batchLines(1), args: ['--backend', 'mock', '--redis', node.url] });
  t.like(await run.refused(), { exit: 4 });
});

test('the user that the documentation names has all that a run on a Cluster needs', async (t) => {
  t.timeout(120_000);
  const cluster = await redisCluster(t);
  const page = await readFile(new URL('../../docs/redis.md', import.meta.url), 'utf8');
  const [, words = '', password = ''] = /ACL (SETUSER rollout on >(\S+) .*)/.exec(page) ?? [];
  for (const node of cluster.nodes) await node.client().call('ACL', ...words.split(' '));
  const passwordFile = join(temporaryDir(t), 'password');
  await writeFile(passwordFile, password);
  const store = ['--redis', cluster.url.replace('redis://', 'redis://rollout@'), '--redis-password-file', passwordFile];
  const run = makeRun(t, { lines: batchLines(12), args: ['--backend', 'mock', '--mock-latency', '1ms', ...store] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.is((await run.verb('verify')).exit, 0);
  const { runId } = JSON.parse(await readFile(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string };
  const { port } = await cluster.ownerOf(runId);
  const own = await run.verb('doctor');
  t.is(own.exit, 0, own.stderr);
  t.regex(own.stdout, new RegExp(`\\n  server: 127.0.0.1:${port}, a primary of the Cluster, has run ${runId}; replicas: 0\\n`));
  t.is(own.stdout.split('\n  server: ').length, 2, 'the others are not examined');
  const [first] = cluster.nodes;
  await first?.client().call('ACL', 'DELUSER', 'rollout');
  const told = await verb(['doctor', ...store], '/');
  t.is(told.exit, 4);
  t.regex(told.stderr, /WRONGPASS.*--redis-password-file/);
});

test('doctor needs a server, or a run that has its ledger on one', async (t) => {
  const run = makeRun(t, { lines: batchLines(2), args: ['--backend', 'mock', '--mock-latency', '1ms'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  const cases: readonly [readonly string[], RegExp][] = [
    [[], /name a Redis server with --redis, or a run.*with --state/],
    [['--state', run.state], /has its ledger in the state directory/],
    [['--state', run.dir], /no run was begun in/],
  ];
  for (const [args, wanted] of cases) {
    const { exit, stderr } = await verb(['doctor', ...args], '/');
    t.is(exit, 2, args.join(' '));
    t.regex(stderr, wanted);
  }
});
