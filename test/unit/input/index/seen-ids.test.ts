import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { SeenIds } from '../../../../runtime/input/index/seen-ids.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('the first line of an id is told every later time', (t) => {
  const seen = new SeenIds(join(temporaryDir(t), 'seen'), 4);
  t.is(seen.see('a', 3), null);
  t.is(seen.see('b', 4), null);
  t.is(seen.see('a', 5), 3);
  t.is(seen.see('a', 6), 3);
  seen.discard();
});

test('line numbers beyond 32 bits are kept', (t) => {
  const seen = new SeenIds(join(temporaryDir(t), 'seen'), 4);
  seen.see('a', 2 ** 40 - 1);
  t.is(seen.see('a', 1), 2 ** 40 - 1);
  seen.discard();
});

test('random ids with repeats agree with a map, with the smallest cache', (t) => {
  const dir = temporaryDir(t);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.constantFrom('a', 'b', 'ä', '\ud800', '\ud801', '\ufffd')), { maxLength: 200 }),
      (ids) => {
        const seen = new SeenIds(join(dir, 'seen'), 1);
        const model = new Map<string, number>();
        for (const [at, id] of ids.entries()) {
          t.is(seen.see(id, at + 1), model.get(id) ?? null);
          if (!model.has(id)) model.set(id, at + 1);
        }
        seen.discard();
      },
    ),
    { numRuns: 50 },
  );
  t.pass();
});

test('300,000 ids double the table several times: each is new once and known afterwards, and no file is left', (t) => {
  const dir = temporaryDir(t);
  const seen = new SeenIds(join(dir, 'seen'), 64);
  const count = 300_000;
  let wrong = 0;
  for (let at = 0; at < count; at++) if (seen.see(`request-${at}`, at + 1) !== null) wrong += 1;
  for (let at = 0; at < count; at += 97) if (seen.see(`request-${at}`, count) !== at + 1) wrong += 1;
  t.is(wrong, 0);
  t.is(readdirSync(dir).length, 1);
  seen.discard();
  t.deepEqual(readdirSync(dir), []);
});
