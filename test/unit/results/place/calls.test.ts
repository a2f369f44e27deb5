import test from 'ava';
import { CallFailed } from '../../../../runtime/ledger/call-failed.ts';
import { throughCalls } from '../../../../runtime/results/place/calls.ts';
import type { ResultsPlace } from '../../../../runtime/results/place/contract.ts';

/** Of each call the first answer is lost. */
function losing(done: string[]): ResultsPlace {
  const lost = new Set<string>();
  const once = async <T>(name: string, answer: T): Promise<T> => {
    done.push(name);
    if (lost.has(name)) return answer;
    lost.add(name);
    throw new CallFailed('unknown', 'cut');
  };
  const place = { placeId: 'p', runId: 'r' };
  const writer = {
    append: (bytes: Uint8Array) => once(`append ${Buffer.from(bytes).toString()}`, { kind: 'appended' } as const),
    close: async () => undefined,
  };
  const segment = { size: () => once('size', 3), read: () => once('read', 2), close: async () => undefined };
  return {
    name: 'here',
    identity: () => once('identity', place),
    open: () => once('open', { kind: 'opened', place } as const),
    create: () => once('create', { kind: 'created', writer } as const),
    epochs: () => once('epochs', [0]),
    read: () => once('segment', segment),
  };
}

test('L20: every call that leaves its fate unknown is asked again with the same, before its caller goes on', async (t) => {
  const done: string[] = [];
  const place = throughCalls(losing(done), (_, call) => call().catch(call));
  t.deepEqual(await place.identity(), { placeId: 'p', runId: 'r' });
  t.like(await place.open(0, 'r'), { kind: 'opened' });
  const reply = await place.create(0, Buffer.from('head'));
  if (reply.kind !== 'created') return t.fail();
  t.deepEqual(await reply.writer.append(Buffer.from('one')), { kind: 'appended' });
  t.deepEqual(await place.epochs(), [0]);
  const segment = await place.read(0);
  t.deepEqual([await segment.size(), await segment.read(Buffer.alloc(3), 0)], [3, 2]);
  await segment.close();
  await reply.writer.close();
  const names = ['identity', 'open', 'create', 'append one', 'epochs', 'segment', 'size', 'read'];
  t.deepEqual(
    done,
    names.flatMap((name) => [name, name]),
  );
});

test('L5: a refusal passes as it is', async (t) => {
  const fenced = { kind: 'fenced', epoch: 2 } as const;
  const place = throughCalls({ ...losing([]), create: async () => fenced }, (_, call) => call());
  t.deepEqual(await place.create(0, Buffer.from('head')), fenced);
});
