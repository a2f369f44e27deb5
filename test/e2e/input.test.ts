import { existsSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { batchLine, batchLines, itemIds } from '../support/batch-lines.ts';
import { startCommand } from '../support/command.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const MEBIBYTE = 2 ** 20;

interface Row {
  readonly what: string;
  readonly bytes: Buffer | string;
  /** What the line becomes; `code` only where the name is part of the format. */
  readonly becomes: 'item' | 'nothing' | { readonly code?: string; readonly names?: RegExp };
}

const OTHER_FIELDS = { method: 'POST', url: '/v1/chat/completions' };

/** Every row of the table of malformed lines, in the order of the file. */
const ROWS: readonly Row[] = [
  { what: 'BOM and CRLF', bytes: `\ufeff${batchLine('first')}\r`, becomes: 'item' },
  { what: 'blank line', bytes: '', becomes: 'nothing' },
  { what: 'NUL', bytes: batchLine('nul').replace('POST', 'PO\0ST'), becomes: {} },
  {
    what: 'invalid UTF-8',
    bytes: Buffer.concat([Buffer.from('{"custom_id":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
    becomes: {},
  },
  { what: 'not JSON', bytes: '{"custom_id": "torn", "method"', becomes: {} },
  { what: 'an array', bytes: '[1,2]', becomes: {} },
  { what: 'a string', bytes: '"x"', becomes: {} },
  { what: 'null', bytes: 'null', becomes: {} },
  { what: 'a number', bytes: '17', becomes: {} },
  { what: 'CRLF only', bytes: '\r', becomes: 'nothing' },
  { what: 'no custom_id', bytes: JSON.stringify({ ...OTHER_FIELDS, body: {} }), becomes: { names: /custom_id/ } },
  { what: 'no url', bytes: JSON.stringify({ custom_id: 'no-url', method: 'POST', body: {} }), becomes: { names: /url/ } },
  { what: 'no body', bytes: JSON.stringify({ ...OTHER_FIELDS, custom_id: 'no-body' }), becomes: { names: /body/ } },
  { what: 'body a string', bytes: JSON.stringify({ ...OTHER_FIELDS, custom_id: 'body-string', body: 'x' }), becomes: { names: /body/ } },
  { what: 'body an array', bytes: JSON.stringify({ ...OTHER_FIELDS, custom_id: 'body-array', body: [] }), becomes: { names: /body/ } },
  {
    what: 'a url with a blank',
    bytes: batchLine('blank').replace('/v1/chat/completions', '/v1/chat completions'),
    becomes: { code: 'invalid_request', names: /url holds a blank/ },
  },
  {
    what: '20,000 levels of nesting',
    bytes: `{"custom_id":"deep","url":"/v1/chat/completions","body":{"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`,
    becomes: { code: 'invalid_request', names: /levels deep/ },
  },
  { what: 'an equal custom_id', bytes: batchLine('first', 'a later one'), becomes: { code: 'duplicate_custom_id', names: /line 1\b/ } },
  { what: 'a line of 9 MiB', bytes: batchLine('long', 'x'.repeat(9 * MEBIBYTE)), becomes: { code: 'line_too_long' } },
  { what: 'a line of 3 MiB', bytes: batchLine('large', `${'y'.repeat(3 * MEBIBYTE)}`), becomes: 'item' },
  { what: 'spaces only', bytes: '  \t ', becomes: 'nothing' },
  { what: 'no final newline', bytes: batchLine('last'), becomes: 'item' },
];

const MALFORMED_INPUT = Buffer.concat(ROWS.flatMap(({ bytes }, n) => [Buffer.from(n === 0 ? '' : '\n'), Buffer.from(bytes as Buffer)]));

const BAD = ROWS.flatMap((row, n) => (typeof row.becomes === 'object' ? [{ ...row.becomes, what: row.what, number: n + 1 }] : []));

test('every row of the malformed-line table becomes what the table says, with its line number (on-invalid record)', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: MALFORMED_INPUT, args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  await checkInvariant(t, run);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    ['first', 'large', 'last'],
  );
  const failures = run.failures();
  t.deepEqual(
    failures.map((line) => line.error?.line),
    BAD.map(({ number }) => number),
  );
  for (const [n, bad] of BAD.entries()) {
    const error = failures[n]?.error;
    t.is(failures[n]?.response, null, bad.what);
    if (bad.code !== undefined) t.is(error?.code, bad.code, bad.what);
    if (bad.names !== undefined) t.regex(error?.message ?? '', bad.names, bad.what);
  }
  t.is(server.total(), 3, 'only items were executed');
});

test('every row of the malformed-line table is named, and nothing is executed (on-invalid fail)', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, {
    lines: MALFORMED_INPUT,
    args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4', '--on-invalid', 'fail'],
  });
  const { exit, stderr } = await run.refused();
  t.is(exit, 2, stderr);
  for (const { number, what } of BAD) t.regex(stderr, new RegExp(`line ${number}\\b|:${number}\\b`), what);
  t.is(server.total(), 0);
  t.false(existsSync(run.output));
  t.deepEqual(run.processes(), []);
});

test('a .gz input is read as what is in it', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const whole = batchLines(80).join('\n');
  const run = makeRun(t, { lines: gzipSync(whole), inputName: 'in.jsonl.gz', args: ['--base-url', server.url, '--concurrency', '8'] });
  const command = run.start();
  t.is(await exitOf(command, 50_000), 0, command.stderr());
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(80)],
  );
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
});

test('stdin is read as the input', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: [], args: [] });
  const stdin = Buffer.from(batchLines(80).join('\n'));
  const command = startCommand('cli', ['run', '-', '--output', run.output, '--base-url', server.url, '--concurrency', '8'], {
    cwd: run.dir,
    stdin,
  });
  t.is(await exitOf(command, 50_000), 0, command.stderr());
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(80)],
  );
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
});

test('an input without items ends at once, with empty outputs', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: ['', '', ' '], args: ['--base-url', server.url] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.is(readFileSync(run.output, 'utf8'), '');
  await checkInvariant(t, run);
  t.is(server.total(), 0);
});

test('--raw takes any JSON value per line; its custom_id is the line number', async (t) => {
  t.timeout(300_000);
  const run = makeRun(t, { lines: ['{"a":1}', '[2]', '"three"', '', '5', 'not json'], args: ['--backend', 'mock', '--raw'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    ['1', '2', '3', '5'],
  );
  t.deepEqual(
    run.failures().map((line) => line.error?.line),
    [6],
  );
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
});

test('--limit takes the first lines only', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: batchLines(100), args: ['--base-url', server.url, '--limit', '10'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(10)],
  );
  t.deepEqual(invariantBreaks(run, 10), []);
  t.is(server.total(), 10);
  const verified = await run.verb('verify');
  t.is(verified.exit, 0, `${verified.stdout}${verified.stderr}`);
});

test('--dry-run indexes and validates, and executes nothing: 1 where lines are bad, 0 where all are good', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t);
  const run = makeRun(t, { lines: [...batchLines(50), 'not json'], args: ['--base-url', server.url, '--dry-run'] });
  const { exit, stdout, stderr } = await run.refused();
  t.is(exit, 1, stderr);
  t.regex(`${stdout}${stderr}`, /\b51\b/);
  t.regex(`${stdout}${stderr}`, /1 × invalid_json, first on line 51/);
  t.is((await run.refused(['--on-invalid', 'fail'])).exit, 2, 'the run would be refused');
  t.is((await run.refused(['--limit', '50'])).exit, 0);
  t.is(server.total(), 0);
  t.false(existsSync(run.output));
});

const OTHER_FILES: readonly (readonly [what: string, bytes: Buffer, told: RegExp])[] = [
  ['UTF-16', Buffer.from(`\uFEFF${batchLines(30).join('\n')}`, 'utf16le'), /is UTF-16.*iconv -f UTF-16 -t UTF-8/],
  [
    'a JSON list',
    Buffer.from(
      JSON.stringify(
        batchLines(30).map((line) => JSON.parse(line) as unknown),
        null,
        2,
      ),
    ),
    /is one JSON list.*jq -c '\.\[\]'/,
  ],
  ['a gzip file of a JSON list', gzipSync(`[${batchLines(30).join(',')}]`), /is one JSON list.*gzip -dc .* \| jq -c '\.\[\]'/],
  ['a zip archive', Buffer.from('PK\x03\x04and so on'), /is a zip archive.*unzip -p/],
];

for (const [what, bytes, told] of OTHER_FILES) {
  test(`an input that is ${what} is refused as a whole with one message, by a run and by --dry-run`, async (t) => {
    t.timeout(300_000);
    const server = await modelServer(t);
    const run = makeRun(t, { lines: bytes, args: ['--base-url', server.url] });
    for (const extra of [[], ['--dry-run']]) {
      const { exit, stderr } = await run.refused(extra);
      t.is(exit, 2, stderr);
      t.regex(stderr, told);
      t.true(stderr.trim().split('\n').length <= 2, stderr);
    }
    t.is(server.total(), 0);
    t.false(existsSync(run.output));
  });
}
