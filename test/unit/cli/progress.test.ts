import { PassThrough } from 'node:stream';
import test from 'ava';
import { createProgressView } from '../../../runtime/cli/progress.ts';
import type { RunStatus } from '../../../runtime/model/status.ts';

const BEGUN: RunStatus = {
  runId: 'R1',
  state: { kind: 'running' },
  epoch: 1,
  items: 0,
  isIndexed: false,
  done: 0,
  failed: 0,
  running: 0,
  handedBack: 0,
  workers: [],
  waits: [],
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
