import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { EXIT } from '../../../../runtime/base/exit.ts';
import { type FetchInputArguments, fetchInput } from '../../../../runtime/cli/verbs/fetch-input.ts';
import { freePort } from '../../../support/free-port.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { depsOf, Kept } from '../../../support/verb.ts';

const LIST = '{"custom_id":"1"}\n'.repeat(100_000);
const SHA256 = createHash('sha256').update(LIST).digest('hex');

async function fetched(args: FetchInputArguments): Promise<string> {
  const err = new Kept();
  const exit = await fetchInput({ ...depsOf('.'), err }, args);
  if (exit !== EXIT.done) throw new Error(`it ended with ${exit}`);
  return err.text;
}

async function serverWith(t: ExecutionContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/items.jsonl`;
}

test('a file is copied once: what happens to it later does not reach the copy', async (t) => {
  const dir = temporaryDir(t);
  const [file, to] = [join(dir, 'items.jsonl'), join(dir, 'input.jsonl')];
  writeFileSync(file, LIST);
  t.regex(await fetched({ file, to }), new RegExp(`${LIST.length} bytes from ${file}, SHA-256 ${SHA256}`));
  writeFileSync(file, 'changed');
  t.regex(await fetched({ file, to }), /input\.jsonl is there/);
  rmSync(file);
  await fetched({ file, to });
  t.true(readFileSync(to, 'utf8') === LIST);
  t.deepEqual(readdirSync(dir), ['input.jsonl']);
});

test('a copy that was cut by the end of its pod is begun anew', async (t) => {
  const dir = temporaryDir(t);
  const [file, to] = [join(dir, 'items.jsonl'), join(dir, 'input.jsonl')];
  writeFileSync(file, LIST);
  writeFileSync(`${to}.partial`, `${LIST}of an earlier start`);
  await fetched({ file, to });
  t.true(readFileSync(to, 'utf8') === LIST);
});

test('a file that is not there, or is none, is told as one that will never be a list', async (t) => {
  const dir = temporaryDir(t);
  const to = join(dir, 'input.jsonl');
  mkdirSync(join(dir, 'folder'));
  for (const name of ['none.jsonl', 'folder', 'folder/none/none.jsonl'])
    await t.throwsAsync(fetched({ file: join(dir, name), to }), {
      code: 'INPUT_UNREADABLE',
      message: new RegExp(`cannot read .*${name}.*correct spec\\.input`),
    });
  t.false(existsSync(to));
});

test('a volume that cannot be written is told as that, and may be better at the next start', async (t) => {
  const dir = temporaryDir(t);
  const file = join(dir, 'items.jsonl');
  writeFileSync(file, LIST);
  await t.throwsAsync(fetched({ file, to: join(dir, 'none', 'input.jsonl') }), { code: 'STORE_FAILED', message: /cannot write .*none/ });
});

test('what is fetched has the digest that was asked for, in either case of its letters', async (t) => {
  const to = join(temporaryDir(t), 'input.jsonl');
  const url = await serverWith(t, (_request, response) => response.end(LIST));
  await fetched({ url, sha256: SHA256.toUpperCase(), to });
  t.true(readFileSync(to, 'utf8') === LIST);
});

test('another digest leaves nothing behind', async (t) => {
  const dir = temporaryDir(t);
  const url = await serverWith(t, (_request, response) => response.end(LIST));
  const sha256 = 'a'.repeat(64);
  await t.throwsAsync(fetched({ url, sha256, to: join(dir, 'input.jsonl') }), {
    code: 'INPUT_INVALID',
    message: new RegExp(`SHA-256 ${SHA256}, and ${sha256}`),
  });
  t.deepEqual(readdirSync(dir), []);
});

test('an answer that will stay ends the run, one that may pass does not', async (t) => {
  const to = join(temporaryDir(t), 'input.jsonl');
  let status = 0;
  const url = await serverWith(t, (_request, response) => response.writeHead(status).end('no'));
  for (const [one, code] of [
    [401, 'INPUT_INVALID'],
    [404, 'INPUT_INVALID'],
    [408, 'BACKEND_UNREACHABLE'],
    [429, 'BACKEND_UNREACHABLE'],
    [500, 'BACKEND_UNREACHABLE'],
    [503, 'BACKEND_UNREACHABLE'],
  ] as const) {
    status = one;
    await t.throwsAsync(fetched({ url, to }), { code, message: new RegExp(`answers ${one}`) });
  }
  t.false(existsSync(to));
});

test('a server that is not there, or goes in the middle, may be there later', async (t) => {
  const to = join(temporaryDir(t), 'input.jsonl');
  const nobody = `http://127.0.0.1:${await freePort()}/items.jsonl`;
  await t.throwsAsync(fetched({ url: nobody, to }), { code: 'BACKEND_UNREACHABLE', message: /cannot fetch http.*ECONNREFUSED/ });
  const url = await serverWith(t, (_request, response) => {
    response.writeHead(200, { 'content-length': LIST.length });
    response.write(LIST.slice(0, 70_000), () => response.destroy());
  });
  await t.throwsAsync(fetched({ url, to }), { code: 'BACKEND_UNREACHABLE' });
  t.false(existsSync(to));
});

test('a source has to be given', async (t) => {
  await t.throwsAsync(fetched({ to: join(temporaryDir(t), 'x') }), { code: 'USAGE' });
});
