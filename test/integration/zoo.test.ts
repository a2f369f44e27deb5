import test from 'ava';
import { HABITS } from '../support/zoo/habits.ts';
import { reply, status } from '../support/zoo/replies.ts';
import { type ZooServer, zooServer } from '../support/zoo/server.ts';

async function ask({ url }: ZooServer, content: string): Promise<number> {
  const body = JSON.stringify({ messages: [{ role: 'user', content }] });
  const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  await response.text();
  return response.status;
}

test('habits: ill after some requests, ill the first times of an item, ill for a word, and by chance alike for one seed', async (t) => {
  const server = await zooServer(t, HABITS.illAfter(2, status(500)));
  t.deepEqual([await ask(server, 'a'), await ask(server, 'b'), await ask(server, 'c')], [200, 200, 500]);
  server.behave(HABITS.illFirst(1, status(502)));
  t.deepEqual([await ask(server, 'd'), await ask(server, 'd')], [502, 200]);
  server.behave(HABITS.illFor('bad', reply('HTTP 413 as nginx says it')));
  t.deepEqual([await ask(server, 'a bad one'), await ask(server, 'good')], [413, 200]);
  const drawn = async (): Promise<readonly number[]> => {
    server.behave(HABITS.byChance(7, 0.5, [status(500), status(429)]));
    return [await ask(server, 'e'), await ask(server, 'e'), await ask(server, 'e'), await ask(server, 'e')];
  };
  t.deepEqual(await drawn(), await drawn());
  t.is(server.executions.get('d'), 2);
  t.is(server.bodies.length, server.total());
});

test('habits: by item, what an item is answered does not depend on the requests of others', async (t) => {
  const items = Array.from({ length: 12 }, (_, index) => `item-${index}`);
  const drawn = async (order: readonly string[]): Promise<readonly (readonly [item: string, status: number])[]> => {
    const server = await zooServer(t, HABITS.byItem(7, 0.5, [status(500), status(429)]));
    const answers: [string, number][] = [];
    for (const item of order) answers.push([item, await ask(server, item)]);
    return answers;
  };
  const forwards = await drawn(items);
  t.deepEqual((await drawn(items.toReversed())).toReversed(), forwards);
  t.is(new Set(forwards.map(([, code]) => code)).size, 3);
});

test('habits: gone for a time after the first request, and then fine', async (t) => {
  const server = await zooServer(t, HABITS.goneFor(400, status(502)));
  t.is(await ask(server, 'a'), 502);
  await new Promise((resolve) => setTimeout(resolve, 500));
  t.is(await ask(server, 'a'), 200);
});

test('slots: others wait, and the peaks tell of both', async (t) => {
  const server = await zooServer(t, undefined, { slots: 2, serviceMs: 400 });
  await Promise.all(['a', 'b', 'c', 'd', 'e'].map((item) => ask(server, item)));
  t.is(server.peakBusy(), 2);
  t.is(server.peakInFlight(), 5);
  t.is(server.inFlight(), 0);
});
