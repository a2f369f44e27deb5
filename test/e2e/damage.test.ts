import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { until } from '../support/until.ts';

const ITEMS = 120;
/** For processes to start and to end, on a machine under full load. */
const END_MS = 120_000;

type Damage = (path: string, bytes: Buffer) => void;

const DAMAGE: Readonly<Record<string, Damage>> = {
  'a flipped bit in the middle': (path, bytes) => {
    const at = Math.floor(bytes.length / 2);
    bytes.writeUInt8(bytes.readUInt8(at) ^ 0x01, at);
    writeFileSync(path, bytes);
  },
  'a flipped bit in its last frame': (path, bytes) => {
    bytes.writeUInt8(bytes.readUInt8(bytes.length - 3) ^ 0x01, bytes.length - 3);
    writeFileSync(path, bytes);
  },
  'an end that is cut off': (path, bytes) => truncateSync(path, Math.floor(bytes.length * 0.6)),
  'nothing but zeros': (path, bytes) => writeFileSync(path, Buffer.alloc(bytes.length)),
  'no file at all': (path) => rmSync(path),
};

function firstSegment(run: Run): string {
  const dir = join(run.state, 'segments');
  return join(
    dir,
    readdirSync(dir)
      .filter((name) => name.endsWith('.seg'))
      .toSorted()[0] ?? '',
  );
}

const WAYS = Object.keys(DAMAGE).join(', ');

test(`L39: a segment with ${WAYS}: told before anything is executed, the intact is exported, and exactly the lost runs again`, async (t) => {
  t.timeout(900_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 60 }));
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--concurrency', '8'] });
  const first = run.start();
  await until('the run is under way', END_MS, () => server.total() > 50);
  first.signal('SIGINT');
  t.is(await exitOf(first, END_MS), 130, first.stderr());
  const kept = keepState(run);
  for (const [what, damage] of Object.entries(DAMAGE)) {
    kept.restore();
    await damagedRun(t, run, server, what, damage);
  }
});

/** The state of a run as it is now, for several ways to go on. */
function keepState(run: Run): { restore(): void } {
  const aside = `${run.state}.kept`;
  const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true, preserveTimestamps: true });
  copy(run.state, aside);
  return {
    restore: () => {
      for (const path of [run.state, run.output, run.errors]) rmSync(path, { recursive: true, force: true });
      copy(aside, run.state);
    },
  };
}

async function damagedRun(t: ExecutionContext, run: Run, server: ModelServer, what: string, damage: Damage): Promise<void> {
  const path = firstSegment(run);
  damage(path, readFileSync(path));
  const executed = server.total();
  const told = await run.refused();
  t.is(told.exit, 2, `${what}: ${told.stderr}`);
  t.is(server.total(), executed, `${what}: nothing was executed`);
  const lost = Number(/(\d+) recorded outcomes? (?:is|are) damaged or gone/.exec(told.stderr)?.[1]);
  const [, left = 0, accepted = 0] = (/(\d+) of its (\d+) outcomes are left/.exec(told.stderr) ?? []).map(Number);
  t.true(lost > 0 && told.stderr.includes(path), `${what}: ${told.stderr}`);
  t.is(lost, accepted - left, what);
  t.regex(told.stderr, /item index(?:es)? \(from 0\): \d+/, what);
  t.regex(told.stderr, /--rerun-damaged/, what);

  const verified = await run.verb('verify');
  t.is(verified.exit, 6, `${what}: ${verified.stderr}`);
  t.regex(verified.stdout, new RegExp(`${lost} recorded outcomes? (?:is|are) damaged or gone`), what);
  const partial = await run.verb('export', '--partial', '--overwrite');
  t.is(partial.exit, 6, `${what}: ${partial.stderr}`);
  t.is(readFileSync(`${run.output}.partial`, 'utf8').split('\n').length - 1, left, what);

  const damagedBytes = what === 'no file at all' ? null : readFileSync(path);
  const again = run.start(['--rerun-damaged']);
  t.is(await exitOf(again, END_MS), 0, `${what}: ${again.stderr()}`);
  t.is(server.total() - executed, ITEMS - left, `${what}: the lost items and those that were still to do`);
  if (damagedBytes !== null) t.true(readFileSync(path).equals(damagedBytes), `${what}: the damaged bytes are kept`);
  await checkInvariant(t, run);
}
