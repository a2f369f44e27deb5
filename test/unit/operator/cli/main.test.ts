import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { EXITS } from '../../../../operator/cli/exits.ts';
import { refuse } from '../../../support/operator/kube-server.ts';
import { RUNS, Stage } from '../../../support/operator/rollout-run.ts';

/** The program as a whole: how it finds its cluster, and what it says where that does not work. */

const VERBS = Object.keys(EXITS).filter((name) => name !== 'all');

test('help names every verb, and that of each verb its example, its exit codes and the options of all', async (t) => {
  const stage = await Stage.open(t);
  const { out, exit } = await stage.run(['--help']);
  t.is(exit, 0);
  for (const verb of VERBS) {
    t.regex(out, new RegExp(`^ {2}${verb} `, 'm'));
    const help = (await stage.run([verb, '--help'])).out;
    t.regex(help, new RegExp(`Example:\n {2}kubectl rollout-run ${verb} `), verb);
    t.regex(help, /Exit codes:\n {2}0 [\s\S]*\n {2}70 +a bug/, verb);
    t.regex(help, /-n, --namespace <name>/, verb);
  }
});

test('a mistyped verb or option is usage, with what was meant', async (t) => {
  const stage = await Stage.open(t);
  const verb = await stage.run(['statsu', 'answers']);
  t.is(verb.exit, 2);
  t.regex(verb.err, /unknown command 'statsu'\n\(Did you mean status\?\)/);
  const option = await stage.run(['status', 'answers', '--wacth']);
  t.is(option.exit, 2);
  t.regex(option.err, /unknown option --wacth; did you mean --watch\?/);
});

test('the namespace is that of the context, or the one that is named before or behind the verb', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun();
  t.is((await stage.run(['status', 'answers'])).exit, 0);
  t.is((await stage.run(['-n', 'team', 'status', 'answers'])).exit, 0);
  const other = await stage.run(['status', 'answers', '-n', 'other']);
  t.is(other.exit, 2);
  t.is(other.err, 'rollout-run: there is no RolloutRun answers in the namespace other: `kubectl rollout-run list -A` shows all\n');
});

test('a mistyped name is answered with the one that is meant', async (t) => {
  const stage = await Stage.open(t);
  stage.putRun();
  const { exit, err } = await stage.run(['status', 'anwsers']);
  t.is(exit, 2);
  t.regex(err, /there is no RolloutRun anwsers in the namespace team: did you mean answers\?/);
});

test('a cluster without the kind: how the operator is installed', async (t) => {
  const stage = await Stage.open(t);
  stage.server.unknown.push('/apis/rollout.run/');
  for (const args of [['status', 'answers'], ['list'], ['explain', 'answers'], ['cancel', 'answers', '--yes']]) {
    const { exit, err } = await stage.run(args);
    t.is(exit, 2, args.join(' '));
    t.regex(err, /does not know the kind RolloutRun: install the operator with `helm install rollout/, args.join(' '));
  }
});

test('no right: the verb on the resource', async (t) => {
  const stage = await Stage.open(t);
  stage.server.answering.push(({ path }, response) => {
    if (!path.startsWith(RUNS)) return undefined;
    refuse(response, 403, 'Forbidden', 'User "bob" cannot get resource "rolloutruns" in API group "rollout.run" in the namespace "team"');
    return true;
  });
  const { exit, err } = await stage.run(['status', 'answers']);
  t.is(exit, 2);
  t.regex(err, /^rollout-run: bob may not get rolloutruns in the namespace team: ask for a role with the verb `get` on rolloutruns/);
});

test('a server that does not answer ends with 4, and is named', async (t) => {
  const stage = await Stage.open(t);
  await stage.server.stop();
  const { exit, err } = await stage.run(['status', 'answers']);
  t.is(exit, 4);
  t.regex(err, new RegExp(`the API server at ${stage.address} does not answer \\(.*ECONNREFUSED`));
});

test('a kubeconfig that is not there, and a context that it does not have', async (t) => {
  const stage = await Stage.open(t);
  const missing = await stage.run(['status', 'answers', '--kubeconfig', join(stage.dir, 'none')]);
  t.is(missing.exit, 2);
  t.regex(missing.err, /cannot read the kubeconfig .*none: ENOENT/);
  const context = await stage.run(['status', 'answers', '--context', 'other']);
  t.is(context.exit, 2);
  t.regex(context.err, /the kubeconfig has no context other; it has context\n/);
});

test('an old Node is told in one line, and what asks no cluster goes on', async (t) => {
  const stage = await Stage.open(t);
  const old = { nodeVersion: '20.19.0' };
  const { exit, err } = await stage.run(['status', 'answers'], old);
  t.is(exit, 2);
  t.is(err, 'rollout-run: Node 20.19.0 is too old to ask a cluster: install Node 22.19 or later\n');
  t.deepEqual(stage.server.asked, []);
  stage.write('items.jsonl', '{"custom_id":"a","url":"/v1/x","body":{}}\n');
  t.is((await stage.run(['validate', '--items', 'items.jsonl'], old)).exit, 0);
});

test('what a server says never reaches a terminal as it is', async (t: ExecutionContext) => {
  const stage = await Stage.open(t);
  stage.server.answering.push((_, response) => {
    refuse(response, 422, 'Invalid', 'bad \u001b[31mred');
    return true;
  });
  t.is((await stage.run(['list'])).err, 'rollout-run: list rolloutruns: bad \\u001b[31mred\n');
});
