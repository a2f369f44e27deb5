import { PassThrough } from 'node:stream';
import test from 'ava';
import { createProgressView } from '../../../../runtime/cli/view/progress.ts';
import type { RunStatus } from '../../../../runtime/model/status.ts';

const BEGUN: RunStatus = {
  runId: 'R1',
  state: { kind: 'running' },
  epoch: 1,
  items: 0,
  isIndexed: false,
  done: 0,
  failed: 0,
  running: 0,
  prefetched: 0,
  handedBack: 0,
  redone: 0,
  workers: [],
  waits: [],
  results: null,
  stall: null,
};

function shownOnTerminal(status: RunStatus): string {
  const err = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200 });
  const view = createProgressView({ err, isDrawable: true, out: new PassThrough(), nowMs: () => 0 }, false);
  view.show(status);
  view.stop();
  return String(err.read());
}

test('before the first line is indexed the terminal says that the input is being indexed, as the plain line does', (t) => {
  const shown = shownOnTerminal(BEGUN);
  t.regex(shown, /indexing the input, 0 workers/);
  t.notRegex(shown, /0\/0/);
});

test('from the first indexed line on the terminal shows counts', (t) => {
  t.regex(shownOnTerminal({ ...BEGUN, items: 4, done: 1 }), /1\/4\+ {2}1 done/);
});

test('into a log, a line that says the same again comes with growing gaps up to a minute, and one with news comes soon', (t) => {
  const err = new PassThrough({ encoding: 'utf8' });
  let nowMs = 0;
  const view = createProgressView({ err, isDrawable: false, out: new PassThrough(), nowMs: () => nowMs }, false);
  const shownAt: number[] = [];
  const look = (status: RunStatus): void => {
    view.show(status);
    if (err.read() !== null) shownAt.push(nowMs / 1_000);
    nowMs += 5_000;
  };
  const stalled = (): RunStatus => ({ ...BEGUN, items: 9, isIndexed: true, running: 9, stall: { sinceMs: nowMs, why: 'away' } });
  while (nowMs <= 240_000) look(stalled());
  t.deepEqual(shownAt, [0, 5, 15, 35, 75, 135, 195]);
  look({ ...stalled(), done: 1 });
  look({ ...stalled(), done: 2 });
  t.deepEqual(shownAt.slice(-2), [245, 250]);
});
