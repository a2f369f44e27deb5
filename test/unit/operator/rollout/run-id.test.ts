import test from 'ava';
import { decodeTime, isValid } from 'ulid';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';

test('a uid is written as a ULID, each as another one', (t) => {
  t.is(runIdOf('00000000-0000-0000-0000-000000000000'), '00000000000000000000000000');
  t.is(runIdOf('ffffffff-ffff-ffff-ffff-ffffffffffff'), '7ZZZZZZZZZZZZZZZZZZZZZZZZZ');
  const id = runIdOf('0193746f-8b1c-7e2a-9f00-5d2b1c3a4e5f');
  t.true(isValid(id));
  t.is(decodeTime(id), 0x0193746f8b1c, 'the first 48 bits are the same');
  t.not(runIdOf('0193746f-8b1c-7e2a-9f00-5d2b1c3a4e5e'), id);
});

test('what is no uid is refused', (t) => {
  for (const text of ['', 'x', '0193746f8b1c7e2a9f005d2b1c3a4e5f', '0193746F-8B1C-7E2A-9F00-5D2B1C3A4E5F'])
    t.throws(() => runIdOf(text), { message: /not the uid/ });
});
