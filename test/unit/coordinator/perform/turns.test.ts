import test from 'ava';
import { Turns } from '../../../../runtime/coordinator/perform/turns.ts';
import { settlePromises } from '../../../support/manual-clock.ts';

test('L31: what is said of one worker waits for what was said before; others do not wait for it', async (t) => {
  const turns = new Turns();
  const done: string[] = [];
  let letGo: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const say = (name: string, after: Promise<void>) => async (): Promise<void> => {
    await after;
    done.push(name);
  };
  const all = [
    turns.take('w1', say('forget w1', held)),
    turns.take('w1', say('register w1', Promise.resolve())),
    turns.take('w2', say('register w2', Promise.resolve())),
  ];
  await settlePromises();
  t.deepEqual(done, ['register w2']);
  letGo();
  await Promise.all(all);
  t.deepEqual(done, ['register w2', 'forget w1', 'register w1']);
});

test('a failure goes to whoever waits for it, and to those behind it', async (t) => {
  const turns = new Turns();
  const broken = turns.take('w1', () => Promise.reject(new Error('the store is broken')));
  const behind = turns.take('w1', () => Promise.resolve());
  await t.throwsAsync(broken, { message: 'the store is broken' });
  await t.throwsAsync(behind, { message: 'the store is broken' });
});
