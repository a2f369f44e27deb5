/**
 * `make smoke-3node-aws`, `make smoke-3node-gcp`: one coordinator and three workers, started by hand with the shipped commands; a slow
 * worker is stolen from, another drains because a hint says that its provider wants the machine back; then the output is proved.
 * Ends with 0 when all went as it must, else with 1 and the reasons.
 *
 * By default all four run here. With ROLLOUT_SMOKE_CLOUD=1 they run on hosts of yours, over ssh (2, and what to give, where something
 * is missing). The same lines of shell run on them as here, and the tests go that way with a stand-in for ssh; with a real one, on real
 * machines, it has never been tried: there were none. The hint is written by this script there too; no real interruption is waited for.
 */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Cloud, cloudFrom, OPTIONAL } from './smoke-cloud.ts';
import { type Host, localHost, quote, sshHost } from './smoke-host.ts';
import { Smoke } from './smoke-run.ts';
import { PROVIDERS, type Provider, problems, seconds } from './smoke-story.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLDEST_NODE = [20, 19];

const provider = PROVIDERS.find((one) => one === process.argv[2]);
if (provider === undefined) fail(2, [`usage: node scripts/smoke.ts ${PROVIDERS.join('|')}`]);
const cloud = process.env['ROLLOUT_SMOKE_CLOUD'] === '1' ? cloudFrom(process.env) : null;
if (cloud !== null && 'missing' in cloud) {
  fail(2, [
    'ROLLOUT_SMOKE_CLOUD=1 wants hosts; these variables are missing:',
    ...indent(cloud.missing),
    'and these may be given:',
    ...indent(OPTIONAL),
  ]);
}
const unfit = cloud === null ? [] : await unfitHosts(cloud);
if (unfit.length > 0) fail(2, ['these hosts are not ready:', ...indent(unfit)]);

const smoke = new Smoke(placesOf(cloud), provider, (line) => process.stdout.write(`${line}\n`));
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => void smoke.clean().finally(() => process.exit(130)));
const found = await told(smoke, provider);
const words = smoke.lastWords();
await smoke.clean();
if (found.length > 0) fail(1, [`the smoke for ${provider} has failed:`, ...indent(found), ...words]);

/** Everything that went wrong. */
async function told(one: Smoke, by: Provider): Promise<readonly string[]> {
  try {
    const seen = await one.run();
    const wrong = problems(seen, by);
    if (wrong.length === 0) {
      process.stdout.write(`passed: done in ${seconds(seen.runMs)}, drained in ${seconds(seen.leftAfterMs)}, and the output is proved\n`);
    }
    return wrong;
  } catch (error) {
    return [(error as Error).message];
  }
}

function placesOf(where: Cloud | null): ConstructorParameters<typeof Smoke>[0] {
  const dir = `/tmp/rollout-smoke-${randomBytes(4).toString('hex')}`;
  if (where === null) {
    const here = localHost();
    return { dir, project: ROOT, coordinator: here, workers: [here, here, here], listen: '127.0.0.1:0', address: null };
  }
  const host = (target: string): Host => sshHost(target, where.sshOptions);
  const [first, second, third] = where.workers;
  return {
    dir,
    project: where.project,
    coordinator: host(where.coordinator),
    workers: [host(first), host(second), host(third)],
    listen: `0.0.0.0:${where.address.replace(/^.*:/, '')}`,
    address: where.address,
  };
}

/** Reachable, with a Node that is new enough and the project built. */
async function unfitHosts({ coordinator, workers, project, sshOptions }: Cloud): Promise<readonly string[]> {
  const targets = [...new Set([coordinator, ...workers])];
  const all = await Promise.all(targets.map((target) => unfitness(sshHost(target, sshOptions), project)));
  return all.filter((one) => one !== null);
}

async function unfitness(host: Host, project: string): Promise<string | null> {
  const reached = await host.run('echo reached');
  if (reached.exit !== 0)
    return `${host.name}: ssh does not reach it without a question (${reached.stderr.trim() || `exit ${reached.exit}`})`;
  const node = await host.run('node --version');
  const [major = 0, minor = 0] = node.stdout.replace(/^v/, '').split('.').map(Number);
  const isOld = major < (OLDEST_NODE[0] ?? 0) || (major === OLDEST_NODE[0] && minor < (OLDEST_NODE[1] ?? 0));
  if (node.exit !== 0 || isOld)
    return `${host.name}: Node ${OLDEST_NODE.join('.')} or later is needed in its PATH (${node.stdout.trim() || 'none found'})`;
  const built = await host.run(`test -f ${quote(project)}/dist/worker.js`);
  if (built.exit !== 0) return `${host.name}: ${project} has no built project; copy it there, and run npm ci in it`;
  return null;
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

function fail(exit: number, lines: readonly string[]): never {
  process.stderr.write(`${lines.join('\n')}\n`);
  process.exit(exit);
}
