import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { tellWhile, type WorkProgress } from '../../../../runtime/cli/view/long-work.ts';

const PROGRESS: WorkProgress = { step: 'reading the input', done: 3 * 2 ** 20, unit: 'bytes' };

class Screen extends Writable {
  text = '';
  readonly isTTY: boolean;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(piece: Buffer, _encoding: string, done: () => void): void {
    this.text += piece.toString();
    done();
  }
}

/** What is told about work during which the clock's sleeper wakes `wakes` times. */
async function told(isTTY: boolean, isJson: boolean, wakes: number): Promise<{ readonly err: string; readonly out: string }> {
  const [err, out] = [new Screen(isTTY), new Screen(false)];
  let end: () => void = () => undefined;
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  let left = wakes;
  const clock = {
    sleep: async (): Promise<void> => {
      await sleep(1);
      left -= 1;
      if (left < 0) end();
      if (left < 0) await sleep(5);
    },
  };
  await tellWhile({ clock, err, isDrawable: isTTY, out }, isJson, () => PROGRESS, work);
  return { err: err.text, out: out.text };
}

test('short work is not worth a line', async (t) => {
  t.deepEqual(await told(false, false, 0), { err: '', out: '' });
});

test('long work is told in lines into a pipe, and in JSON lines on stdout with --json', async (t) => {
  t.deepEqual(await told(false, false, 2), { err: 'reading the input: 3.0 MiB so far\n'.repeat(2), out: '' });
  t.deepEqual(await told(true, true, 1), { err: '', out: `${JSON.stringify({ kind: 'preparing', ...PROGRESS })}\n` });
});

test('on a terminal it is one line, which is gone in the end', async (t) => {
  const { err } = await told(true, false, 2);
  t.is(err, `${'\r\u001b[Kreading the input: 3.0 MiB so far'.repeat(2)}\r\u001b[K`);
});

test('an error of the work passes, and the telling ends', async (t) => {
  const clock = { sleep: async (): Promise<void> => sleep(1) };
  const failing = tellWhile(
    { clock, err: new Screen(false), isDrawable: false, out: new Screen(false) },
    false,
    () => PROGRESS,
    Promise.reject(new Error('no')),
  );
  await t.throwsAsync(failing, { message: 'no' });
});
