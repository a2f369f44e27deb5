import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { Assignment } from '../../../runtime/model/session.ts';
import type { Ending } from '../../../runtime/worker/commands.ts';
import { type KnownGood, openKnownGood } from '../../../runtime/worker/known-good.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';
import { until } from '../../support/until.ts';
import { assignment, ended, refused, throttled } from '../../support/worker-state.ts';

/** Its requests end like this, and are kept. */
function opened(path: string, ending: Ending, runId = 'run'): { readonly asked: Assignment[]; readonly open: () => Promise<KnownGood> } {
  const asked: Assignment[] = [];
  const run = async (one: Assignment): Promise<Ending> => {
    asked.push(one);
    return ending;
  };
  return { asked, open: () => openKnownGood({ path, runId, slots: { run }, log: { debug: () => undefined } }) };
}

async function noted(path: string): Promise<void> {
  const known = await opened(path, ended(7)).open();
  known.note(assignment(3), refused(3));
  known.note(assignment(7), ended(7));
  known.note(assignment(8), ended(8));
  await until('it is on disk', 10_000, () => readText(path) !== '');
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

test('W13: the first request with a result is the known-good one, also of the next process, and is asked under no attempt', async (t) => {
  const path = join(temporaryDir(t), 'known-good.json');
  await noted(path);
  const { asked, open } = opened(path, ended(7));
  t.deepEqual(await (await open()).ask(0), { kind: 'answered' });
  const { line, lineNumber, form } = assignment(7);
  t.deepEqual(asked, [{ index: 7, attempt: 0, claimEpoch: 0, line: Buffer.from(line), lineNumber, form }]);
});

test('W13: where it is refused as well, the endpoint refuses everybody; any other end shows nothing', async (t) => {
  const path = join(temporaryDir(t), 'known-good.json');
  await noted(path);
  t.like(await (await opened(path, refused(7)).open()).ask(0), { kind: 'refused' });
  t.like(await (await opened(path, throttled(7)).open()).ask(0), { kind: 'nothing', detail: 'http_429' });
});

test('W13: without one nothing is sent, and a refusal is taken for that of the endpoint', async (t) => {
  const path = join(temporaryDir(t), 'known-good.json');
  const { asked, open } = opened(path, ended(7));
  t.like(await (await open()).ask(0), { kind: 'refused' });
  await noted(path);
  t.like(await (await opened(path, ended(7), 'another run').open()).ask(0), { kind: 'refused' }, 'that of another run is not sent');
  writeFileSync(path, '{"runId": "run", "line');
  t.like(await (await open()).ask(0), { kind: 'refused' });
  t.deepEqual(asked, []);
});
