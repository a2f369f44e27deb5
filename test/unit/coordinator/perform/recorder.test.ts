import test from 'ava';
import type { LedgerWriter } from '../../../../runtime/coordinator/perform/ledger-writer.ts';
import { createRecorder, type Recorder } from '../../../../runtime/coordinator/perform/recorder.ts';
import type { Recording } from '../../../../runtime/coordinator/state/commands.ts';
import { settlePromises } from '../../../support/manual-clock.ts';

interface Bench {
  readonly recorder: Recorder;
  readonly done: string[];
  isHolder: boolean;
}

function bench(): Bench {
  const done: string[] = [];
  const writer: LedgerWriter = { write: async (verb) => (made.isHolder ? ((await verb()) as never) : null) };
  const recorder = createRecorder({
    log: {
      append: async (frames) => {
        done.push(`append ${frames.length}`);
        await settlePromises();
        done.push(`synced ${frames.length}`);
      },
    },
    writer,
    onDurable: (recordings) => void done.push(`durable ${recordings.length}`),
    onFailure: (cause) => void done.push(`failed ${String(cause)}`),
  });
  const made: Bench = { recorder, done, isHolder: true };
  return made;
}

function recording(index: number): Recording {
  const outcome = { index, attempt: 1, claimEpoch: 1, kind: 'result', line: Buffer.from('{}'), httpStatus: 200, code: '' } as const;
  return { worker: 'w1', outcome: { ...outcome, isRetryable: false, isProbe: false, delayMs: 0 } };
}

test('L18: what is recorded is on disk before it may be settled', async (t) => {
  const { recorder, done } = bench();
  recorder.add([recording(0), recording(1)]);
  await settlePromises();
  await settlePromises();
  t.deepEqual(done, ['append 2', 'synced 2', 'durable 2']);
});

test('while one batch is written, the next gathers', async (t) => {
  const { recorder, done } = bench();
  for (const index of [0, 1, 2]) recorder.add([recording(index)]);
  for (let n = 0; n < 4; n += 1) await settlePromises();
  t.deepEqual(
    done.filter((one) => one.startsWith('append')),
    ['append 1', 'append 2'],
  );
});

test('L5: one that is not sure of its lease appends nothing, to whatever was waiting', async (t) => {
  const made = bench();
  made.isHolder = false;
  made.recorder.add([recording(0)]);
  made.recorder.add([recording(1)]);
  await settlePromises();
  t.deepEqual(made.done, []);
});
