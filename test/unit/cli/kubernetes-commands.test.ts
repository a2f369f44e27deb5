import test from 'ava';
import { Command } from 'commander';
import { EXIT } from '../../../runtime/base/exit.ts';
import { addKubernetes, type KubernetesVerbs } from '../../../runtime/cli/kubernetes-commands.ts';

interface Called {
  readonly verb: string;
  readonly args: unknown;
}

/** The verb that a command line calls, and with what. */
async function called(...argv: readonly string[]): Promise<Called> {
  const calls: Called[] = [];
  const verb = (name: string) => async (args: unknown) => {
    calls.push({ verb: name, args });
    return EXIT.done;
  };
  const verbs: KubernetesVerbs = {
    k8s: verb('k8s'),
    mockServer: verb('mockServer'),
    fetchInput: verb('fetchInput'),
    exportFinished: verb('exportFinished'),
    resultsServer: verb('resultsServer'),
  };
  const program = new Command('rollout')
    .exitOverride()
    .enablePositionalOptions()
    .configureOutput({ writeErr: () => undefined });
  addKubernetes(program, verbs, () => undefined);
  for (const command of program.commands) command.exitOverride().configureOutput({ writeErr: () => undefined });
  await program.parseAsync([...argv], { from: 'user' });
  return calls[0] ?? { verb: 'none', args: null };
}

test('what follows k8s goes to the program behind it as it stands', async (t) => {
  const args = ['-n', 'team', 'results', 'my-run', '--errors', '--help'];
  t.deepEqual(await called('k8s', ...args), { verb: 'k8s', args });
  t.deepEqual(await called('k8s'), { verb: 'k8s', args: [] });
});

test('the mock server listens to this machine alone unless it is told otherwise', async (t) => {
  t.deepEqual(await called('mock-server'), {
    verb: 'mockServer',
    args: { host: '127.0.0.1', port: 8_000, latency: '20ms', failureRate: 0 },
  });
  t.like(await called('mock-server', '--host', '0.0.0.0', '--port', '0', '--latency', '2s'), {
    args: { host: '0.0.0.0', port: 0, latency: '2s' },
  });
  for (const wrong of [
    ['--port', '70000'],
    ['--port', 'x'],
    ['--latency', 'soon'],
    ['--failure-rate', '2'],
  ])
    await t.throwsAsync(called('mock-server', ...wrong), { code: 'commander.invalidArgument' }, wrong.join(' '));
});

test('the steps of pods are called as the operator writes them', async (t) => {
  t.deepEqual(await called('fetch-input', '--file', '/input/a', '--to', '/state/b'), {
    verb: 'fetchInput',
    args: { file: '/input/a', to: '/state/b' },
  });
  t.deepEqual(await called('export-finished', '--config', 'c.yaml'), { verb: 'exportFinished', args: { config: 'c.yaml' } });
  t.deepEqual(await called('results-server', '--state', '/state/run', '--port', '8080'), {
    verb: 'resultsServer',
    args: { state: '/state/run', host: '0.0.0.0', port: 8_080, tokenEnv: 'ROLLOUT_RESULTS_TOKEN', epochEnv: 'ROLLOUT_RESULTS_EPOCH' },
  });
  t.like(await called('results-server', '--config', 'c.yaml'), { args: { config: 'c.yaml' } });
  await t.throwsAsync(called('fetch-input', '--file', 'a'), { code: 'commander.missingMandatoryOptionValue' });
});

test('people are shown what is for them', (t) => {
  const program = new Command('rollout').enablePositionalOptions();
  addKubernetes(program, {} as KubernetesVerbs, () => undefined);
  const help = program.helpInformation();
  t.regex(help, /^ {2}mock-server /m);
  t.regex(help, /^ {2}k8s /m);
  t.false(/fetch-input|export-finished|results-server/.test(help));
});
