import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { type CoordinatorSettings, loadCoordinatorSettings } from '../../../runtime/coordinator/settings.ts';
import { DEFAULT_TIMING } from '../../support/default-timing.ts';

async function load(yaml: string): Promise<CoordinatorSettings> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-settings-'));
  try {
    await writeFile(join(dir, 'c.yaml'), yaml);
    return await loadCoordinatorSettings(join(dir, 'c.yaml'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function mistakesIn(t: ExecutionContext, yaml: string): Promise<string[]> {
  const error = await t.throwsAsync(load(yaml), { instanceOf: RolloutError });
  t.is(error?.code, 'CONFIG_INVALID');
  return (error?.message ?? '').split('\n').map((line) => line.replace(/^.*c\.yaml: /, ''));
}

test('input and output are enough: everything else has its default', async (t) => {
  t.deepEqual(await load('input: in.jsonl\noutput: out.jsonl\n'), {
    runId: null,
    overwrite: false,
    outputMode: null,
    input: 'in.jsonl',
    output: 'out.jsonl',
    listen: '127.0.0.1:50051',
    advertise: null,
    serveAfterEnd: false,
    http: { listen: '127.0.0.1:9464', isGiven: false },
    stateDir: 'out.jsonl.rollout',
    minFreeBytes: 67_108_864,
    tlsDir: 'out.jsonl.rollout/tls',
    store: { kind: 'embedded' },
    form: 'batch',
    onInvalid: 'record',
    order: 'input',
    limit: null,
    maxLineBytes: 8_388_608,
    maxAttempts: 5,
    breaker: 20,
    maxFailedItems: null,
    stallAfterMs: 180_000,
    stallTimeoutMs: Number.POSITIVE_INFINITY,
    stragglers: false,
    results: { place: null, inlineLimit: null, model: null, overrideModel: null },
    inlineLimitBytes: 64 * 2 ** 20,
    events: 'stdout',
    logLevel: 'info',
    drainTimeoutMs: 20_000,
    hintsFile: null,
    expireAfterMs: 7 * 24 * 3_600_000,
    timing: DEFAULT_TIMING,
  });
});

test('values carry their unit, and the renewal follows the failure timeout', async (t) => {
  const settings = await load(`
input: a
output: b
raw: true
maxLineBytes: 64KiB
timing: { coordinatorFailureTimeout: 9s, heartbeatInterval: 200ms }
`);
  t.is(settings.form, 'raw');
  t.is(settings.maxLineBytes, 65_536);
  t.like(settings.timing, { coordinatorFailureTimeoutMs: 9_000, heartbeatIntervalMs: 200, leaseRenewIntervalMs: 3_000 });
});

test('the ledger is on the Redis server that is named, never shown with a password, or in the state directory', async (t) => {
  const of = (store: string): string => `input: a\noutput: b\nstore: ${store}\n`;
  t.deepEqual((await load(of('{ embedded: {} }'))).store, { kind: 'embedded' });
  const { store } = await load(of('{ redis: "rediss://u@a:1", passwordFile: /secret, caCert: ca.pem }'));
  t.like(store, { kind: 'redis', url: 'rediss://u@a:1', passwordFile: '/secret', caCert: resolve('ca.pem'), key: null });
  const kept = async (expireAfter: string): Promise<number> => (await load(of(`{ redis: "redis://a", ${expireAfter} }`))).expireAfterMs;
  t.deepEqual([await kept(''), await kept('expireAfter: 2h'), await kept('expireAfter: 0s')], [7 * 24 * 3_600_000, 7_200_000, 0]);
  const [short] = await mistakesIn(t, of('{ redis: "redis://a", expireAfter: 59m }'));
  t.regex(short ?? '', /`store\.expireAfter` at line 3 must be at least 1h, or 0s/);
  const [both] = await mistakesIn(t, of('{ embedded: {}, redis: "redis://a" }'));
  t.is(both, '`store` at line 3 must name embedded or redis, not both');
  const [lonely] = await mistakesIn(t, of('{ passwordFile: p }'));
  t.is(
    lonely,
    '`store.redis` at line 3 has to name the server to which the password file, the certificates and the user of Sentinels belong',
  );
  const [secret = ''] = await mistakesIn(t, of('{ redis: "redis://u:hidden@a" }'));
  t.regex(secret, /must not hold the password/);
  t.notRegex(secret, /hidden/);
});

test('all mistakes are told at once, each with its line and what to do', async (t) => {
  const yaml = `input: in.jsonl
zookeeper: 1
limit: 0
order: random
maxAttempts: five
listen: localhost
timing:
  heartbeatInterva: 500ms
  pollWait: 5
`;
  t.deepEqual((await mistakesIn(t, yaml)).sort(), [
    '`limit` at line 3 must be at least 1, but is 0',
    '`listen` at line 6 must be host:port, such as 127.0.0.1:50051, but is "localhost"',
    '`maxAttempts` at line 5 must be a number, but is "five"',
    '`order` at line 4 must be one of input, completion, but is "random"',
    '`output` is missing: it must be text (in quotes where it looks like a number)',
    '`timing.pollWait` at line 9 must be a duration with a unit, such as 500ms, 5s, 15m or 2h, but is 5',
    'unknown key `heartbeatInterva` at line 8; did you mean `heartbeatInterval`?',
    'unknown key `zookeeper` at line 2; remove it; known here are `runId`, `input`, `output`, `overwrite`, `outputMode`, `listen`, `advertise`, `http`, `stateDir`, `minFreeSpace`, `tls`, `store`, `raw`, `onInvalid`, `order`, `limit`, `maxLineBytes`, `maxAttempts`, `breaker`, `stallAfter`, `stallTimeout`, `maxFailedItems`, `stragglers`, `results`, `events`, `logLevel`, `drainTimeout`, `serveAfterEnd`, `hints`, `timing`',
  ]);
});

test('of several unknown keys only the first that resembles none is told with the known ones', async (t) => {
  const told = await mistakesIn(t, 'input: a\noutput: b\nzookeeper: 1\nlimt: 3\nworkerId: w\n');
  t.regex(told[0] ?? '', /^unknown key `zookeeper` at line 3; remove it; known here are `runId`, /);
  t.deepEqual(told.slice(1), ['unknown key `limt` at line 4; did you mean `limit`?', 'unknown key `workerId` at line 5; remove it']);
});

test('health endpoints may be put elsewhere, or left out', async (t) => {
  const withHttp = (http: string): ReturnType<typeof load> => load(`input: a\noutput: b\nhttp: ${http}\n`);
  t.deepEqual((await withHttp('0.0.0.0:0')).http, { listen: '0.0.0.0:0', isGiven: true });
  t.is((await withHttp('none')).http, null);
  t.deepEqual(await mistakesIn(t, 'input: a\noutput: b\nhttp: here\n'), [
    '`http` at line 3 must be host:port, such as 127.0.0.1:9464, or none',
  ]);
});

test('times that do not hold together are told with both values and a line', async (t) => {
  const yaml = 'input: a\noutput: b\ntiming:\n  workerSelfFenceTimeout: 6s\n  leaseRenewInterval: 5s\n  clockSkewBudget: 2s\n';
  t.deepEqual(await mistakesIn(t, yaml), [
    '`timing.workerSelfFenceTimeout` at line 4 is 6s, and must be shorter than `coordinatorFailureTimeout` (5s): lower the one or raise the other',
    '`timing.clockSkewBudget` at line 6 is 2s, and must be shorter than twice `heartbeatInterval` (2 x 500ms): lower the one or raise the other',
    "`timing.leaseRenewInterval` at line 5 is 5s, and must be shorter than the lease's time to live, `coordinatorFailureTimeout` (5s): lower the one or raise the other",
  ]);
});

test('a file that is no YAML, no map or empty says so', async (t) => {
  t.regex((await mistakesIn(t, 'input: a\noutput: "b\n'))[0] ?? '', /^line \d+: /);
  t.regex((await mistakesIn(t, 'input: a\ninput: b\n'))[0] ?? '', /^line 2: .*unique/);
  t.deepEqual(await mistakesIn(t, '- a\n- b\n'), ['must hold settings as `name: value` lines']);
  t.is((await mistakesIn(t, '')).length, 2);
});

test('a settings file that is not there is named', async (t) => {
  const error = await t.throwsAsync(loadCoordinatorSettings('/nowhere/c.yaml'), { instanceOf: RolloutError, code: 'CONFIG_INVALID' });
  t.regex(error?.message ?? '', /\/nowhere\/c\.yaml/);
});

test('an output that is no path of a file is refused', async (t) => {
  t.regex((await mistakesIn(t, 'input: a\noutput: "-"\n')).join(), /`output` at line 2 is no place for results/);
});
