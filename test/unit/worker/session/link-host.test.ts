import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import type { Answered, WorkerClient } from '../../../../runtime/rpc/client.ts';
import { createLink } from '../../../../runtime/worker/session/link.ts';

type Answer = Answered<string>;
const UNREACHABLE: Answer = { kind: 'unreachable', detail: 'd' };
/** The name servers know that `gone` does not exist, and nothing of any other host. */
const DEPS = {
  dial: () => ({ close: () => undefined }) as unknown as WorkerClient,
  isHostUnknown: async (address: string) => address.startsWith('gone'),
  clock: systemClock,
  random: seededRandom(1),
  log: silentLog,
};

test('a host counts as unknown where the name servers say so, until another attempt says something else', async (t) => {
  const unresolved: Answer = { kind: 'unreachable', detail: 'UNAVAILABLE: Name resolution failed for target dns:gone:1' };
  const after = async (address: string, answers: readonly Answer[]): Promise<readonly boolean[]> => {
    const link = createLink({ ...DEPS, addresses: [address] });
    const told: boolean[] = [];
    for (const answer of answers) {
      await link.call(async () => answer);
      await turn();
      told.push(link.isHostUnknown());
    }
    return told;
  };
  const answers = [unresolved, UNREACHABLE, unresolved, { kind: 'reply', reply: 'here' } as const];
  t.deepEqual(await after('gone:1', answers), [true, false, true, false]);
  t.deepEqual(await after('unsure:1', answers), [false, false, false, false], 'a name server that does not answer says nothing');
});
