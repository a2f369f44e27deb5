import test from 'ava';
import type { Recording } from '../../../runtime/coordinator/commands.ts';
import type { LedgerWriter } from '../../../runtime/coordinator/ledger-writer.ts';
import { createRecorder, type Recorder } from '../../../runtime/coordinator/recorder.ts';
import type { SettleReply } from '../../../runtime/ledger/contract.ts';
import { settlePromises } from '../../support/manual-clock.ts';

interface Bench {
  readonly recorder: Recorder;
  readonly done: string[];
  isHolder: boolean;
}

function bench(): Bench {
  const done: string[] = [];
  const writer: LedgerWriter = { write: async (verb) => (made.isHolder ? ((await verb()) as never) : null) };
  const recorder = createRecorder({
    log: { epoch: 1, append: async (frames) => void done.push(`append ${frames.length}`), close: async () => undefined },
    ledger: {
      settle: async (_epoch, _worker, outcomes): Promise<SettleReply> => {
        done.push(`settle ${outcomes.length}`);
        return { kind: 'settled', verdicts: outcomes.map(() => 'accepted' as const) };
      },
    },
    writer,
    onRecorded: (recordings) => void done.push(`recorded ${recordings.length}`),
    onFailure: (cause) => void done.push(`failed ${String(cause)}`),
  });
  const made: Bench = { recorder, done, isHolder: true };
  return made;
}

function recording(index: number): Recording {
  const outcome = { index, attempt: 1, claimEpoch: 1, kind: 'result', line: Buffer.from('{}'), httpStatus: 200, code: '' } as const;
  return { worker: 'w1', outcome: { ...outcome, isRetryable: false, isProbe: false, delayMs: 0 } };
}

test('L18: what is recorded is on disk before the ledger settles it, and settled before anybody hears of it', async (t) => {
  const { recorder, done } = bench();
  recorder.add([recording(0), recording(1)]);
  await settlePromises();
  t.deepEqual(done, ['append 2', 'settle 2', 'recorded 2']);
});

test('L5, R38: one that is not sure of its lease appends nothing, to whatever was waiting', async (t) => {
  const made = bench();
  made.isHolder = false;
  made.recorder.add([recording(0)]);
  made.recorder.add([recording(1)]);
  await settlePromises();
  t.deepEqual(made.done, []);
});
