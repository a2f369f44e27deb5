import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { batchLine, batchLines } from '../support/batch-lines.ts';
import { checkInvariant, exitOf, filesBelow, makeRun } from '../support/run.ts';
import { FINE, HABITS } from '../support/zoo/habits.ts';
import { ownCa } from '../support/zoo/own-ca.ts';
import { zooProxy } from '../support/zoo/proxy.ts';
import { reply } from '../support/zoo/replies.ts';
import { zooServer } from '../support/zoo/server.ts';

/** What reaches a server, and on which way, through the whole command. */

test("the server gets the line's own bytes, with the model put in, and its answer stands in the output as it came", async (t) => {
  t.timeout(90_000);
  const answer = '{"choices": [{"message": {"content": "x"}}], "n":9223372036854775807, "p":1e400,"1":1.0}';
  const server = await zooServer(t, HABITS.always({ kind: 'answer', status: 200, body: answer }));
  const body = '{"seed":9223372036854775807,"p":1e400,"t":1.0,"schema":{"why":1,"2":1,"1":1},"t":2.0,"messages":[]}';
  const line = `{"custom_id":"x","method":"POST","url":"/v1/chat/completions","body":${body}}`;
  const run = makeRun(t, { lines: [line], args: ['--base-url', server.url, '--model', 'm'] });
  const command = run.start();
  t.is(await exitOf(command, 60_000), 0, command.stderr());
  t.deepEqual(server.bodies, [`{"model":"m",${body.slice(1)}`]);
  t.true(readFileSync(run.output, 'utf8').includes(`"body":${answer}`));
});

test('answers at the token limit and without a text are results, and told at the end', async (t) => {
  t.timeout(90_000);
  const odd = reply('HTTP 200 with an empty text, or finish_reason length');
  const server = await zooServer(t, (asked) => (asked.item === 'item-000001' ? odd : FINE(asked)));
  const run = makeRun(t, { lines: batchLines(4), args: ['--base-url', server.url, '--json'] });
  const command = run.start();
  t.is(await exitOf(command, 60_000), 0, command.stderr());
  t.regex(command.stderr(), /Among the results: 1 ended at the token limit \(finish_reason: length\), 1 without a text\./);
  const end = JSON.parse(command.stdout().trim().split('\n').at(-1) ?? '{}') as object;
  t.like(end, { kind: 'ended', atTokenLimit: 1, emptyText: 1 });
  await checkInvariant(t, run);
});

test('an answer with NaN is fetched once, and its text is kept', async (t) => {
  t.timeout(90_000);
  const server = await zooServer(t, HABITS.illFor('odd', reply('HTTP 200 with NaN or Infinity')));
  const run = makeRun(t, { lines: [batchLine('odd'), batchLine('even')], args: ['--base-url', server.url] });
  const command = run.start();
  t.is(await exitOf(command, 60_000), 1, command.stderr());
  t.is(server.executions.get('odd'), 1);
  t.like(run.failures()[0], { custom_id: 'odd', error: { code: 'invalid_answer' } });
  t.regex(readFileSync(run.errors, 'utf8'), /"body":"\{\\"choices\\": \[\{\\"logprobs\\": \[NaN\]\}\]\}"/);
});

test('through the proxy of the environment, with an authority and a key header of its own; no secret is written down', async (t) => {
  t.timeout(90_000);
  const { ca, tls } = await ownCa();
  const server = await zooServer(t, undefined, { tls });
  const proxy = await zooProxy(t);
  const env = { https_proxy: `http://me:hunter2@127.0.0.1:${proxy.port}`, MY_KEY: 'sk-very-secret' };
  const url = `https://model.test:${server.port}/openai?api-version=2024-10-21`;
  const args = ['--base-url', url, '--ca-cert', 'ca.pem', '--api-key-env', 'MY_KEY', '--api-key-header', 'api-key'];
  const run = makeRun(t, { lines: batchLines(3), args, env });
  writeFileSync(join(run.dir, 'ca.pem'), ca);
  // The path is one within the folder in which the process was started.
  const command = run.startProcess();
  t.is(await exitOf(command, 60_000), 0, command.stderr());
  t.is(proxy.asked[0], `CONNECT model.test:${server.port}`);
  t.is(server.lastHeaders()['api-key'], 'sk-very-secret');
  t.true(server.asked.includes('POST /openai/chat/completions?api-version=2024-10-21'), server.asked.join());
  t.true(readdirSync(run.state).includes('logs'));
  const secret = filesBelow(run.state).filter(({ bytes }) => bytes.includes('very-secret') || bytes.includes('hunter2'));
  t.deepEqual(
    secret.map(({ path }) => path),
    [],
  );
});

test('a server with an authority of its own is told at once with the way out', async (t) => {
  t.timeout(90_000);
  const { tls } = await ownCa();
  const server = await zooServer(t, undefined, { tls });
  const run = makeRun(t, { lines: batchLines(2), args: ['--base-url', server.url, '--wait-backend', '1s'] });
  const command = run.start();
  t.is(await exitOf(command, 60_000), 4, command.stderr());
  t.regex(command.stderr(), /name the certificate of that authority with --ca-cert \(caCert in a settings file\), or in SSL_CERT_FILE/);
  t.is(server.total(), 0);
});
