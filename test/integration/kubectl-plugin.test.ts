import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { startCommand } from '../support/command.ts';
import { scratch } from '../support/scratch.ts';

/** `kubectl rollout-run` as a process: what kubectl starts, and what `rollout k8s` makes of the same arguments. */

const EXAMPLE = fileURLToPath(new URL('../../examples/rolloutrun.yaml', import.meta.url));
const AS_OLD_NODE = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } });";

test('kubectl finds the plugin by its name', (t) => {
  const { bin } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly bin: Record<string, string>;
  };
  t.is(bin['kubectl-rollout_run'], 'runtime/kubectl.js');
});

test('the plugin and `rollout k8s` do the same', async (t) => {
  const cwd = scratch(t);
  for (const [name, args] of [
    ['kubectl', []],
    ['cli', ['k8s']],
  ] as const) {
    const command = startCommand(name, [...args, 'validate', '-f', EXAMPLE], { cwd });
    t.is(await command.exited, 0, command.stderr());
    t.regex(command.stdout(), /rolloutrun\.yaml:\d+: RolloutRun example is valid\n.*: 10 items\n/);
  }
});

test('help behind `rollout k8s` is that of the plugin', async (t) => {
  const command = startCommand('cli', ['k8s', 'wait', '--help'], { cwd: scratch(t) });
  t.is(await command.exited, 0);
  t.regex(command.stdout(), /^Usage: kubectl rollout-run wait \[options\] <run>/);
});

test('on an old Node a cluster cannot be asked, and all else works', async (t) => {
  const cwd = scratch(t);
  const env = { NODE_OPTIONS: `--import=${encodeURI(`data:text/javascript,${AS_OLD_NODE}`)}` };
  const list = startCommand('kubectl', ['list', '--kubeconfig', join(cwd, 'none')], { cwd, env });
  t.is(await list.exited, 2);
  t.is(list.stderr(), 'rollout-run: Node 20.19.0 is too old to ask a cluster: install Node 22.19 or later\n');
  const validate = startCommand('kubectl', ['validate', '-f', EXAMPLE], { cwd, env });
  t.is(await validate.exited, 0);
});
