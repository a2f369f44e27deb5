import { existsSync } from 'node:fs';
import test from 'ava';
import { launcher, siblingModule } from '../../../../runtime/base/process/module-path.ts';

const source = new URL('../../../../runtime/worker/main.ts', import.meta.url).href;
const built = new URL('../../../../dist/worker.js', import.meta.url).href;

test('a sibling has the ending of the tree that asks', (t) => {
  t.true(siblingModule(source, 'heartbeat-thread').href.endsWith('/runtime/worker/heartbeat-thread.ts'));
  t.true(siblingModule(built, 'heartbeat-thread').href.endsWith('/dist/heartbeat-thread.js'));
});

test('sources and built tree name the same launchers, and these are there', (t) => {
  for (const name of ['coordinator', 'worker', 'cli'] as const) {
    t.is(launcher(source, name), launcher(built, name));
    t.true(existsSync(launcher(source, name)), name);
  }
});
