import { PassThrough } from 'node:stream';
import test from 'ava';
import { createRunView } from '../../../../operator/cli/run-view.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const STATUS = {
  observedGeneration: 2,
  phase: 'Running',
  items: { total: 10, done: 4, failed: 1, running: 2 },
  workers: { desired: 2, ready: 2 },
};
const STALLED = { type: 'Progressing', status: 'False', reason: 'Stalled', message: 'no answer', lastTransitionTime: '' } as const;

test('on a terminal it is a bar on stderr, and what is in the way stands above it', (t) => {
  const err = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns: 200 });
  const out = new PassThrough({ encoding: 'utf8' });
  const view = createRunView({ out, err, isDrawable: true }, false);
  view.show(runOf({}, STATUS));
  view.show(runOf({}, { ...STATUS, conditions: [STALLED] }));
  view.stop();
  const shown = String(err.read());
  t.regex(shown, /█{15}░{15} {2}5\/10 items {2}4 done {2}1 failed {2}2 running {2}2 of 2 workers ready {2}Running/);
  t.true(shown.includes('\r\u001b[KProgressing is False (Stalled): no answer\n'));
  t.is(out.read(), null);
});

test('with --json a terminal has no bar', (t) => {
  const [out, err] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })];
  const view = createRunView({ out, err, isDrawable: true }, true);
  view.show(runOf({}, STATUS));
  view.show(runOf({}, STATUS));
  view.stop();
  t.is(String(out.read()).split('\n').length, 2);
  t.is(err.read(), null);
});

test('a trouble is told once as long as it says the same, and again when it comes back', (t) => {
  const [out, err] = [new PassThrough({ encoding: 'utf8' }), new PassThrough()];
  const view = createRunView({ out, err, isDrawable: false }, false);
  const troubled = runOf({}, { ...STATUS, conditions: [STALLED] });
  for (const run of [troubled, troubled, runOf({}, STATUS), troubled]) view.show(run);
  t.is(String(out.read()).match(/Stalled/g)?.length, 2);
});
