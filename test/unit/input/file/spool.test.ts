import { Buffer } from 'node:buffer';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { longestTemporaryName } from '../../../../runtime/base/fs/temporary-file.ts';
import { prepareInput } from '../../../../runtime/input/file/spool.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const LIST = 'one\ntwo\n';
const MIB = 2 ** 20;

interface Place {
  readonly stateDir: string;
  readonly spool: string;
  readonly gz: string;
}

function place(t: ExecutionContext): Place {
  const dir = temporaryDir(t);
  return { stateDir: join(dir, 'state'), spool: join(dir, 'state', 'spool'), gz: join(dir, 'in.jsonl.gz') };
}

const piped = (...pieces: readonly (string | Uint8Array)[]): Readable => Readable.from(pieces.map((piece) => Buffer.from(piece as string)));

async function refusal(t: ExecutionContext, run: Promise<unknown>): Promise<RolloutError> {
  return await t.throwsAsync(run, { instanceOf: RolloutError });
}

test('a plain file is used where it is', async (t) => {
  const { stateDir, gz } = place(t);
  const path = gz.slice(0, -3);
  writeFileSync(path, LIST);
  t.deepEqual(await prepareInput({ form: 'batch', input: path, stateDir }), { path, isSpooled: false });
});

test('a gzip file is uncompressed once; of several parts all are', async (t) => {
  const { stateDir, spool, gz } = place(t);
  writeFileSync(gz, Buffer.concat([gzipSync('one\n'), gzipSync('two\n')]));
  const prepared = await prepareInput({ form: 'batch', input: gz, stateDir });
  t.deepEqual(prepared, { path: join(spool, 'input.jsonl'), isSpooled: true });
  t.is(readFileSync(prepared.path, 'utf8'), LIST);
  const { ino } = statSync(prepared.path);
  t.deepEqual(await prepareInput({ form: 'batch', input: gz, stateDir }), prepared);
  utimesSync(gz, 10, 10);
  t.deepEqual(await prepareInput({ form: 'batch', input: gz, stateDir }), prepared);
  t.is(statSync(prepared.path).ino, ino, 'the copy was left as it is');
  t.deepEqual(readdirSync(spool).sort(), ['input.jsonl', 'source.json']);
});

test('gzip is known by its contents, whatever its name', async (t) => {
  const { stateDir, gz } = place(t);
  const path = gz.slice(0, -3);
  writeFileSync(path, gzipSync(LIST));
  t.is(readFileSync((await prepareInput({ form: 'batch', input: path, stateDir })).path, 'utf8'), LIST);
});

test('a gzip file or a stream with more lines than before is refused with the way to go on', async (t) => {
  const { stateDir, gz } = place(t);
  writeFileSync(gz, gzipSync(LIST));
  await prepareInput({ form: 'batch', input: gz, stateDir });
  writeFileSync(gz, gzipSync(`${LIST}more\n`));
  utimesSync(gz, 10, 10);
  const more = /has more lines than .*unpacked.*--extend.*--fresh/;
  t.regex((await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }))).message, more);
  const stdin = Readable.from([Buffer.from(LIST), Buffer.from('more\n')]);
  t.regex((await refusal(t, prepareInput({ form: 'batch', input: '-', stateDir, stdin }))).message, more);
});

test('a file of another kind is refused as a whole, wherever it comes from, and nothing is copied', async (t) => {
  const { stateDir, gz } = place(t);
  const list = JSON.stringify([{ custom_id: 'a' }], null, 2);
  const plain = gz.slice(0, -3);
  writeFileSync(plain, list);
  writeFileSync(gz, gzipSync(list));
  const stdin = Readable.from([Buffer.from(list)]);
  const requests = [{ input: plain }, { input: gz }, { input: '-', stdin }];
  for (const request of requests) {
    const error = await refusal(t, prepareInput({ form: 'batch', stateDir, ...request }));
    t.is(error.code, 'INPUT_FORMAT');
    t.regex(error.message, /is one JSON list.*jq -c/);
  }
  t.false(existsSync(join(stateDir, 'spool', 'input.jsonl')));
});

test('a gzip file with other contents than before is refused, and the copy stays', async (t) => {
  const { stateDir, gz } = place(t);
  writeFileSync(gz, gzipSync(LIST));
  const { path } = await prepareInput({ form: 'batch', input: gz, stateDir });
  writeFileSync(gz, gzipSync('other\n'));
  utimesSync(gz, 10, 10);
  const error = await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }));
  t.is(error.code, 'INPUT_CHANGED');
  t.regex(error.message, /in\.jsonl\.gz has other contents .*--fresh/);
  t.is(readFileSync(path, 'utf8'), LIST);
});

test('a cut, damaged or falsely named gzip file is refused by name, and nothing is left', async (t) => {
  const { stateDir, spool, gz } = place(t);
  const whole = gzipSync(randomBytes(300_000).toString('hex'));
  const damaged = Buffer.from(whole);
  damaged.fill(0xff, 1000, 2000);
  const broken: readonly (readonly [Uint8Array, RegExp])[] = [
    [whole.subarray(0, whole.length - 1), /ends too early: it was cut/],
    [whole.subarray(0, 5000), /ends too early/],
    [damaged, /is damaged/],
    [Buffer.from(LIST), /named \.gz and is not gzip/],
    [Buffer.alloc(0), /named \.gz and is not gzip/],
  ];
  for (const [contents, message] of broken) {
    writeFileSync(gz, contents);
    const error = await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }));
    t.is(error.code, 'INPUT_UNREADABLE');
    t.regex(error.message, message);
    t.true(error.message.includes(gz));
  }
  t.deepEqual(readdirSync(spool), []);
});

test('a missing file and a directory are refused by name', async (t) => {
  const { stateDir, gz } = place(t);
  t.regex((await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }))).message, /there is no such file/);
  mkdirSync(stateDir);
  t.regex((await refusal(t, prepareInput({ form: 'batch', input: stateDir, stateDir }))).message, /it is a directory/);
});

test('standard input is copied, compressed or not, however it is cut into pieces', async (t) => {
  const zipped = gzipSync(LIST);
  for (const pieces of [[LIST], ['o', 'n', LIST.slice(2)], [zipped], [zipped.subarray(0, 1), zipped.subarray(1)]]) {
    const { stateDir } = place(t);
    const { path, isSpooled } = await prepareInput({ form: 'batch', input: '-', stateDir, stdin: piped(...pieces) });
    t.true(isSpooled);
    t.is(readFileSync(path, 'utf8'), LIST);
  }
});

test('the same standard input again, none, an empty one and a terminal find the copy; another one is refused', async (t) => {
  const { stateDir } = place(t);
  const { path } = await prepareInput({ form: 'batch', input: '-', stateDir, stdin: piped(LIST) });
  const { ino } = statSync(path);
  const terminal = Object.assign(new Readable({ read: () => undefined }), { isTTY: true });
  for (const stdin of [piped(LIST), piped('on', 'e\ntwo\n'), piped(), terminal])
    t.is((await prepareInput({ form: 'batch', input: '-', stateDir, stdin })).path, path);
  t.is((await prepareInput({ form: 'batch', input: '-', stateDir })).path, path);
  t.is(statSync(path).ino, ino);
  t.is((await refusal(t, prepareInput({ form: 'batch', input: '-', stateDir, stdin: piped('other') }))).code, 'INPUT_CHANGED');
  t.is(readFileSync(path, 'utf8'), LIST);
});

test('nothing on standard input and no copy is an error that says what to do', async (t) => {
  const { stateDir } = place(t);
  for (const stdin of [piped(), undefined]) {
    const error = await refusal(t, prepareInput({ form: 'batch', input: '-', stateDir, ...(stdin === undefined ? {} : { stdin }) }));
    t.is(error.code, 'INPUT_UNREADABLE');
    t.regex(error.message, /pipe the list into the command, or name a file/);
  }
});

test('standard input that breaks off with an error leaves no copy', async (t) => {
  const { stateDir, spool } = place(t);
  const stdin = Readable.from(
    (async function* () {
      yield Buffer.from(LIST);
      throw new Error('the pipe broke');
    })(),
  );
  t.is((await refusal(t, prepareInput({ form: 'batch', input: '-', stateDir, stdin }))).code, 'INPUT_UNREADABLE');
  t.deepEqual(readdirSync(spool), []);
});

test('a copy that was interrupted is made again; one that was damaged is told', async (t) => {
  const { stateDir, spool, gz } = place(t);
  writeFileSync(gz, gzipSync(LIST));
  mkdirSync(spool, { recursive: true });
  writeFileSync(join(spool, 'input.jsonl'), 'half');
  const { path } = await prepareInput({ form: 'batch', input: gz, stateDir });
  t.is(readFileSync(path, 'utf8'), LIST);
  truncateSync(path, 1);
  const error = await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }));
  t.is(error.code, 'STATE_UNREADABLE');
  t.regex(error.message, /input\.jsonl: it is missing or has another size/);
});

test('a named pipe is copied like standard input', async (t) => {
  const { stateDir, gz } = place(t);
  const fifo = `${gz}.fifo`;
  execFileSync('mkfifo', [fifo]);
  const writing = prepareInput({ form: 'batch', input: fifo, stateDir });
  execFileSync('sh', ['-c', `printf 'one\\ntwo\\n' > '${fifo}' &`], { stdio: 'ignore' });
  t.is(readFileSync((await writing).path, 'utf8'), LIST);
});

test('where nothing can be written the error names the place', async (t) => {
  const { stateDir, gz } = place(t);
  writeFileSync(gz, gzipSync(LIST));
  writeFileSync(stateDir, 'a file where the directory should be');
  const error = await refusal(t, prepareInput({ form: 'batch', input: gz, stateDir }));
  t.true(error.message.includes(stateDir));
});

test('a gzip file of many pieces is copied whole', async (t) => {
  const { stateDir, gz } = place(t);
  writeFileSync(gz, gzipSync(Buffer.alloc(64 * MIB, 'line of text\n')));
  const { path } = await prepareInput({ form: 'batch', input: gz, stateDir });
  t.is(statSync(path).size, 64 * MIB);
  rmSync(path);
});

test('what a killed start has left half copied is removed by the next', async (t) => {
  const { stateDir, spool, gz } = place(t);
  writeFileSync(gz, gzipSync(LIST));
  mkdirSync(spool, { recursive: true });
  writeFileSync(join(spool, await longestTemporaryName('input.')), 'half');
  await prepareInput({ form: 'batch', input: gz, stateDir });
  t.deepEqual(readdirSync(spool).sort(), ['input.jsonl', 'source.json']);
});

test('how much has been read is told while a copy is made or compared', async (t) => {
  const { stateDir, gz } = place(t);
  writeFileSync(gz, gzipSync(Buffer.alloc(MIB, 'line of text\n')));
  for (const mtime of [10, 20]) {
    utimesSync(gz, mtime, mtime);
    const told: number[] = [];
    await prepareInput({ form: 'batch', input: gz, stateDir, onBytes: (bytes) => told.push(bytes) });
    t.is(told.at(-1), MIB);
    t.true(told.length > 1);
  }
});
