import { writeSync } from 'node:fs';
import process from 'node:process';
import type { Outcome } from '../../runtime/model/session.ts';
import { openOutbox } from '../../runtime/worker/outbox/open.ts';
import { keepCompiled } from './keep-compiled.ts';
import { outcome, ref } from './worker-state.ts';

/**
 * A process that stores outcomes from an item on, and forgets all but each tenth. It says what it found, and what it
 * stored and is about to forget. To be killed. `outbox-writer <dir> <first item>`
 */
const [dir, firstText] = process.argv.slice(2);
if (dir === undefined || firstText === undefined) throw new Error('usage: outbox-writer <dir> <first item>');

const BATCH = 40;
const KEPT_EACH = 10;

keepCompiled();
const outbox = await openOutbox({ dir, workerId: 'w1', runId: 'run', waitForDiskSpace: async () => false });
say(
  'found',
  outbox.found.map(({ index }) => index),
);
await forgetMost(outbox.found);
await outbox.keepEpoch(Number(firstText));
say('epoch', [Number(firstText)]);

for (let next = Number(firstText); ; next += BATCH) {
  const batch = Array.from({ length: BATCH }, (_, at) => outcome(next + at, 1, { line: Buffer.alloc(400, `${next + at} `) }));
  await outbox.put(batch);
  say(
    'stored',
    batch.map(({ index }) => index),
  );
  await forgetMost(batch);
}

async function forgetMost(outcomes: readonly Outcome[]): Promise<void> {
  const forgotten = outcomes.map(({ index }) => index).filter((index) => index % KEPT_EACH !== 0);
  say('forgotten', forgotten);
  await outbox.forget(forgotten.map((index) => ref(index)));
}

/** Straight to the system: what this process says is out, even if it is killed at the next instruction. */
function say(kind: string, indexes: readonly number[]): void {
  const line = `${JSON.stringify({ kind, indexes })}\n`;
  for (let at = 0; at < line.length; ) {
    try {
      at += writeSync(1, line.slice(at));
    } catch (error) {
      // Whoever reads is busy, and the pipe is full.
      if (!(error instanceof Error) || !('code' in error) || error.code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
