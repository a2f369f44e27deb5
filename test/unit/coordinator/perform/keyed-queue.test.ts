import test from 'ava';
import { KeyedQueue } from '../../../../runtime/coordinator/perform/keyed-queue.ts';
import { settlePromises } from '../../../support/manual-clock.ts';

test('L31: what is said of one worker waits for what was said before; others do not wait for it', async (t) => {
  const queue = new KeyedQueue();
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
    queue.run('w1', say('forget w1', held)),
    queue.run('w1', say('register w1', Promise.resolve())),
    queue.run('w2', say('register w2', Promise.resolve())),
  ];
  await settlePromises();
  t.deepEqual(done, ['register w2']);
  letGo();
  await Promise.all(all);
  t.deepEqual(done, ['register w2', 'forget w1', 'register w1']);
});

test('a failure goes to whoever waits for it, and to those behind it', async (t) => {
  const queue = new KeyedQueue();
  const broken = queue.run('w1', () => Promise.reject(new Error('the store is broken')));
  const behind = queue.run('w1', () => Promise.resolve());
  await t.throwsAsync(broken, { message: 'the store is broken' });
  await t.throwsAsync(behind, { message: 'the store is broken' });
});
