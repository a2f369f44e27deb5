import test from 'ava';
import { aborted, onAbort } from '../../../runtime/base/abort.ts';

test('what is to run on an abort runs once: at the abort, or at once where the signal has aborted', (t) => {
  const controller = new AbortController();
  let runs = 0;
  onAbort(controller.signal, () => {
    runs += 1;
  });
  t.is(runs, 0);
  controller.abort();
  controller.abort();
  t.is(runs, 1);
  onAbort(controller.signal, () => {
    runs += 1;
  });
  t.is(runs, 2);
});

test('a promise of the abort resolves with it', async (t) => {
  const controller = new AbortController();
  const waiting = aborted(controller.signal);
  controller.abort();
  await t.notThrowsAsync(waiting);
  await t.notThrowsAsync(aborted(controller.signal));
});
