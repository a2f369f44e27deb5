import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { CommitRequest, Ledger } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import { keyOf, keysOf } from '../../runtime/ledger/redis/keys.ts';
import { checkServer } from '../../runtime/ledger/redis/server-check.ts';
import { back, claimed, move, row, SOME_TTL_MS, scanned, start } from '../support/ledger-start.ts';
import { redisServer, redisServerOf } from '../support/redis-server.ts';

/** Of the whole server, so each of these tests has its own run and its own user. */
const server = await redisServerOf(test, ['--appendfsync', 'no']);
const admin = server.client();
let users = 0;

const ALL_COMMANDS = [
  'eval',
  'evalsha',
  'bitfield',
  'getbit',
  'getrange',
  'hdel',
  'hget',
  'hgetall',
  'hmget',
  'hscan',
  'hset',
  'info',
  'time',
];

interface Compared {
  readonly user: string;
  readonly ledger: Ledger;
  /** The same run by the default user, whose permissions stay. */
  readonly direct: Ledger;
  readonly memory: Ledger;
}

async function compared(t: ExecutionContext): Promise<Compared> {
  users += 1;
  const user = `user-${users}`;
  await admin.call('ACL', 'SETUSER', user, 'on', '>pw', '~rollout:*', ...ALL_COMMANDS.map((one) => `+${one}`));
  const ledger = await server.open(user, { username: user, password: 'pw' });
  const direct = await server.open(user);
  t.teardown(() => Promise.all([ledger.dispose(), direct.dispose()]));
  const memory = createMemoryLedger();
  for (const one of [ledger, memory]) {
    await start(one);
    await claimed(one, 0, 'w1', [{ cursor: 0, count: 8 }]);
  }
  return { user, ledger, direct, memory };
}

/** Which items are where, and what was counted. */
async function rows(ledger: Ledger): Promise<unknown> {
  return [await scanned(ledger, 0), await ledger.tallies(), [...(await ledger.bits(0, 400))]];
}

/** The n-th commit records four items, one of them with a history, hands one back, and claims it and five fresh ones: it writes all keys. */
function commitAt(n: number): CommitRequest {
  const from = n * 8;
  return {
    settles: [0, 1, 2, 3].map((at) => ({ index: from + at, row: row('w1'), isResult: at % 2 === 0 })),
    handBacks: [back(from + 4, row('w1'), 'failed'), back(from + 5, row('w1')), back(from + 6, row('w1'))],
    claims: [
      { worker: 'w2', picks: [{ index: from + 4, lastAttempt: 1 }] },
      { worker: 'w1', picks: [{ cursor: from + 8, count: 8 }] },
    ],
  };
}

/** What had a history is recorded, so that its row goes. */
function settleAt(n: number): CommitRequest {
  return { settles: [{ index: n * 8 + 4, row: row('w2', 2), isResult: n % 2 === 0 }], handBacks: [], claims: [] };
}

const COMMITS = 12;

for (const command of ['hset', 'hdel', 'bitfield'])
  test(`a commit for which ${command} is refused in the middle of a run writes nothing, and is carried out once it is given again`, async (t) => {
    const { user, ledger, direct, memory } = await compared(t);
    let refused = 0;
    for (const request of Array.from({ length: COMMITS }, (_, n) => [commitAt(n), settleAt(n)]).flat()) {
      await admin.call('ACL', 'SETUSER', user, `-${command}`);
      const before = await rows(memory);
      const reply = await ledger.commit(0, request).catch((error: Error) => error);
      if (reply instanceof Error) {
        refused += 1;
        t.like(reply, { code: 'STORE_FAILED' });
        t.regex(reply.message, new RegExp(`may not.*${command}.*\\+${command}`, 'is'));
        t.deepEqual(await rows(direct), before, 'nothing is half written');
      } else {
        t.deepEqual(reply, await memory.commit(0, request), `it needs no ${command}`);
      }
      await admin.call('ACL', 'SETUSER', user, `+${command}`);
      if (reply instanceof Error) t.deepEqual(await ledger.commit(0, request), await memory.commit(0, request));
      t.deepEqual(await rows(direct), await rows(memory));
    }
    t.true(refused >= COMMITS, `${refused} were refused`);
  });

test('commits that run while commands are taken away and given again leave the rows that they leave where nothing is refused', async (t) => {
  const { user, ledger, direct, memory } = await compared(t);
  let isOver = false;
  let refused = 0;
  const taking = (async () => {
    for (let n = 0; !isOver; n += 1) {
      const command = ['hset', 'hdel', 'bitfield'][n % 3];
      await admin.call('ACL', 'SETUSER', user, `-${command}`);
      await sleep(n % 4);
      await admin.call('ACL', 'SETUSER', user, `+${command}`);
    }
  })();
  for (const request of Array.from({ length: 10 * COMMITS }, (_, n) => [commitAt(n), settleAt(n)]).flat()) {
    let reply: unknown = null;
    while (reply === null)
      reply = await ledger.commit(0, request).catch((error: { readonly code?: string }) => {
        if (error.code !== 'STORE_FAILED') throw error;
        refused += 1;
        return null;
      });
    t.deepEqual(reply, await memory.commit(0, request));
  }
  isOver = true;
  await taking;
  t.true(refused > 0, `${refused} were refused`);
  t.deepEqual(await rows(direct), await rows(memory));
});

test('a commit of which one key may only be read, or not at all, writes nothing', async (t) => {
  const { user, ledger, direct, memory } = await compared(t);
  const before = await rows(memory);
  for (const key of keysOf(user))
    for (const access of ['', `%R~${key}`]) {
      const others = keysOf(user).filter((one) => one !== key);
      await admin.call('ACL', 'SETUSER', user, 'resetkeys', ...others.map((one) => `~${one}`), ...(access === '' ? [] : [access]));
      await t.throwsAsync(ledger.commit(0, commitAt(0)), { code: 'STORE_FAILED', message: /give the user of this run/ }, key);
      t.deepEqual(await rows(direct), before);
    }
  await admin.call('ACL', 'SETUSER', user, '~rollout:*');
  t.deepEqual(await ledger.commit(0, commitAt(0)), await memory.commit(0, commitAt(0)));
  t.deepEqual(await rows(direct), await rows(memory));
});

for (const key of ['items', 'done', 'failed', 'tallies'] as const)
  test(`a commit for which something else stands under the key ${key} writes nothing`, async (t) => {
    const { user, ledger, memory } = await compared(t);
    await admin.rpush(keyOf(user, key), 'a list');
    await t.throwsAsync(ledger.commit(0, commitAt(0)), { code: 'STORE_FAILED', message: /WRONGTYPE/ });
    await admin.del(keyOf(user, key));
    t.deepEqual(await rows(ledger), await rows(memory));
  });

test('a commit beyond what the server takes as the length of a bitmap writes nothing', async (t) => {
  const { user, ledger, direct, memory } = await compared(t);
  await admin.config('SET', 'proto-max-bulk-len', String(2 ** 20));
  t.teardown(() => admin.config('SET', 'proto-max-bulk-len', String(512 * 2 ** 20)));
  const head = (await admin.hgetBuffer(keyOf(user, 'head'), 'n')) as Buffer;
  const far = Buffer.from(head);
  far.writeUInt32LE(2 ** 23 + 8, 4);
  await admin.hset(keyOf(user, 'head'), 'n', far);
  await t.throwsAsync(ledger.commit(0, { ...commitAt(0), claims: [] }), { code: 'STORE_FAILED', message: /bit offset/ });
  await admin.hset(keyOf(user, 'head'), 'n', head);
  t.deepEqual(await rows(direct), await rows(memory));
});

/** Each other verb that writes, and what it needs. */
const VERBS: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
  reassign: (ledger) => ledger.reassign(0, [move(0, row('w1'), 'w2')]),
  second: (ledger) => ledger.second(0, 'w2', [{ index: 0, row: row('w1'), lastAttempt: 1 }]),
  register: (ledger) => ledger.register({ epoch: 0, serial: 1_000 }, 'w3', { bootNonce: 'n', pid: 1, concurrency: 1, registeredAtMs: 0 }),
  forget: (ledger) => ledger.forget({ epoch: 0, serial: 1_000 }, 'w2'),
  pause: (ledger) => ledger.pause({ epoch: 0, serial: 1_000 }, 'why'),
  renew: async (ledger) => {
    const { lease } = await ledger.readLease();
    return lease === null ? null : ledger.renew(lease, SOME_TTL_MS);
  },
};

for (const [verb, ask] of Object.entries(VERBS))
  test(`${verb} without hset is refused with what to do, and writes nothing`, async (t) => {
    const { user, ledger, direct } = await compared(t);
    const before = [await rows(direct), await direct.readLease()] as const;
    await admin.call('ACL', 'SETUSER', user, '-hset');
    await t.throwsAsync(ask(ledger), { code: 'STORE_FAILED', message: /HSET.*\+hset/ });
    t.deepEqual(await rows(direct), before[0]);
    t.like((await direct.readLease()).lease, { ...before[1].lease });
    await admin.call('ACL', 'SETUSER', user, '+hset');
    await t.notThrowsAsync(ask(ledger));
  });

test('a script that may not read is refused with what to do', async (t) => {
  const { user, ledger, direct, memory } = await compared(t);
  for (const command of ['hget', 'hmget']) {
    await admin.call('ACL', 'SETUSER', user, `-${command}`);
    await t.throwsAsync(ledger.commit(0, commitAt(0)), { code: 'STORE_FAILED', message: /give the user of this run/ }, command);
    await admin.call('ACL', 'SETUSER', user, `+${command}`);
  }
  t.deepEqual(await rows(direct), await rows(memory));
});

test('a command that the server has under another name is found before a run, and a commit that needs it writes nothing', async (t) => {
  const renamed = await redisServer(t, ['--rename-command', 'HDEL', 'hdel-hidden', '--rename-command', 'HSCAN', '']);
  const refused = (await checkServer(renamed.store(), {}, 'run')).filter(({ severity }) => severity === 'refused');
  t.is(refused.length, 1);
  t.regex(refused[0]?.what ?? '', /no HDEL, HSCAN under this name/);
  t.notRegex(refused[0]?.fix ?? '', /ACL/, 'no permission brings them back');
  const ledger = await renamed.open('run');
  t.teardown(() => ledger.dispose());
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
  const before = await ledger.progress();
  const request = { settles: [0, 1, 2, 3].map((index) => ({ index, row: row('w1'), isResult: true })), handBacks: [], claims: [] };
  await t.throwsAsync(ledger.commit(0, request), { code: 'STORE_FAILED', message: /HDEL.*rename-command/ });
  t.deepEqual(await ledger.progress(), before);
  t.deepEqual([...(await ledger.bits(0, 4))], [0, 0, 0, 0]);
});
