import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { systemClock } from '../../../runtime/base/clock.ts';
import { createEvents, type EventsOptions } from '../../../runtime/base/events.ts';
import { silentLog } from '../../../runtime/base/log.ts';
import { EVENT_LEVELS, type RunEvent } from '../../../runtime/model/event.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const RUN_ID = '01HX0000000000000000000000';
const ACQUIRED: RunEvent = { kind: 'lease_acquired', epoch: 3 };
const BEAT: RunEvent = { kind: 'worker_heartbeat', workerId: 'w-1', loopLagMs: 2 };

function options(to: string, more: Partial<EventsOptions> = {}): EventsOptions {
  return { to, runId: RUN_ID, clock: { ...systemClock, wallMs: () => 0 }, log: silentLog, levels: EVENT_LEVELS, ...more };
}

test('an event is one line, in the file when emit returns', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'events.ndjson');
  const events = createEvents(options(path));
  events.emit(ACQUIRED);
  t.is(
    await readFile(path, 'utf8'),
    `{"ts":"1970-01-01T00:00:00.000Z","level":"info","kind":"lease_acquired","runId":"${RUN_ID}","epoch":3}\n`,
  );
  await events.close();
});

test('debug events are written only when the level asks for them', async (t) => {
  const path = join(temporaryDir(t), 'events.ndjson');
  const quiet = createEvents(options(path));
  quiet.emit(BEAT);
  await quiet.close();
  t.is(await readFile(path, 'utf8'), '');
  const loud = createEvents(options(path, { level: 'debug' }));
  loud.emit(BEAT);
  await loud.close();
  t.regex(await readFile(path, 'utf8'), /"kind":"worker_heartbeat".*"loopLagMs":2/);
});

test('a line that a killed process left half written does not swallow the next event', async (t) => {
  const dir = temporaryDir(t);
  const path = join(dir, 'events.ndjson');
  await appendFile(path, '{"ts":"19');
  const events = createEvents(options(path));
  events.emit(ACQUIRED);
  events.emit(ACQUIRED);
  await events.close();
  const lines = (await readFile(path, 'utf8')).split('\n');
  t.is(lines.length, 4);
  t.is(lines[0], '{"ts":"19');
  t.deepEqual(
    lines.slice(1, 3).map((line) => JSON.parse(line).kind),
    ['lease_acquired', 'lease_acquired'],
  );
});

test('events that cannot be written are lost, the run goes on, and it is said once', async (t) => {
  const told: string[] = [];
  const log = { warn: (_: unknown, message: string) => told.push(message) } as unknown as EventsOptions['log'];
  const events = createEvents(options('/dev/full', { log }));
  events.emit(ACQUIRED);
  events.emit(ACQUIRED);
  await events.close();
  t.is(told.length, 1);
  t.regex(told[0] ?? '', /free disk space/);
});

test('a path that cannot be opened is refused at the start, with the setting named', (t) => {
  const error = t.throws(() => createEvents(options('/nowhere/at/all/events.ndjson')), { code: 'CONFIG_INVALID' });
  t.regex(error.message, /`events`/);
});

test('on a pipe whose reader is slow every line arrives whole and in order', async (t) => {
  const child = spawn(process.execPath, [fileURLToPath(new URL('../../support/emit-events.ts', import.meta.url)), '3000'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    // Slower than the writer: the pipe fills, and the child meets EAGAIN or has to wait.
    child.stdout.pause();
    setTimeout(() => child.stdout.resume(), 2);
  });
  const [code] = (await once(child, 'close')) as [number];
  t.is(code, 0);
  const epochs = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).epoch);
  t.deepEqual(
    epochs,
    Array.from({ length: 3000 }, (_, i) => i),
  );
});
