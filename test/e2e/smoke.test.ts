import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { freePort } from '../support/free-port.ts';
import { processesOf } from '../support/process-table.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function smoke(t: ExecutionContext, provider: string, env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const child = spawn(process.execPath, ['scripts/smoke.ts', provider], { cwd: ROOT, env: { ...process.env, ...env }, stdio: 'pipe' });
  // It takes its processes along.
  t.teardown(() => child.kill('SIGTERM'));
  const [stdout, stderr] = [read(child.stdout), read(child.stderr)];
  const [exit] = (await once(child, 'close')) as [number | null];
  return { exit, stdout: stdout(), stderr: stderr() };
}

function read(stream: ChildProcess['stdout']): () => string {
  let text = '';
  stream?.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return () => text;
}

for (const provider of ['aws', 'gcp']) {
  test(`make smoke-3node-${provider}: three workers, items are stolen, one drains in its provider's time, and the output is proved`, async (t) => {
    t.timeout(300_000);
    const { exit, stdout, stderr } = await smoke(t, provider);
    t.log(stdout);
    t.is(exit, 0, stderr);
    for (const seen of [/has registered/, /stolen: \d+ item/, /drains: stopped-pulling/, /has drained: left/, /Verified: /, /^passed: /m])
      t.regex(stdout, seen);
    t.deepEqual(processesOf('/tmp/rollout-smoke-'), [], 'nothing is left running');
    t.regex(readFileSync(`${ROOT}/Makefile`, 'utf8'), new RegExp(`smoke-3node-${provider}`));
  });
}

test('the smoke on hosts of ones own goes as it does here, as far as a stand-in for ssh can show', async (t) => {
  t.timeout(300_000);
  const dir = temporaryDir(t);
  // Drops the options and the host, and runs the line where a home directory would be.
  writeFileSync(join(dir, 'ssh'), '#!/bin/sh\nwhile [ $# -gt 2 ]; do shift; done\ncd / && exec sh -c "$2"\n', { mode: 0o755 });
  const { exit, stdout, stderr } = await smoke(t, 'gcp', {
    PATH: `${dir}:${process.env['PATH'] ?? ''}`,
    ROLLOUT_SMOKE_CLOUD: '1',
    ROLLOUT_SMOKE_COORDINATOR: 'me@c',
    ROLLOUT_SMOKE_WORKERS: 'me@w1 me@w2 me@w3',
    ROLLOUT_SMOKE_ADDRESS: `127.0.0.1:${await freePort()}`,
    ROLLOUT_SMOKE_PROJECT: ROOT,
  });
  t.is(exit, 0, stderr);
  t.regex(stdout, /^passed: /m);
});

test('the smoke on hosts of ones own says what is missing, and how to give it', async (t) => {
  const nothing = await smoke(t, 'aws', { ROLLOUT_SMOKE_CLOUD: '1', ROLLOUT_SMOKE_COORDINATOR: '', ROLLOUT_SMOKE_WORKERS: '' });
  t.is(nothing.exit, 2);
  for (const name of ['COORDINATOR', 'WORKERS', 'ADDRESS', 'PROJECT', 'SSH'])
    t.regex(nothing.stderr, new RegExp(`ROLLOUT_SMOKE_${name}: `));
  // A port on which nobody listens, and a name that cannot exist.
  const unreachable = await smoke(t, 'gcp', {
    ROLLOUT_SMOKE_CLOUD: '1',
    ROLLOUT_SMOKE_COORDINATOR: 'nobody@127.0.0.1',
    ROLLOUT_SMOKE_WORKERS: 'nobody@127.0.0.1 nobody@127.0.0.1 nobody@127.0.0.1',
    ROLLOUT_SMOKE_SSH: '-p 1 -o StrictHostKeyChecking=yes',
  });
  t.is(unreachable.exit, 2);
  t.regex(unreachable.stderr, /nobody@127\.0\.0\.1: ssh does not reach it/);
});
