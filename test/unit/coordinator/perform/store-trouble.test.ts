import test from 'ava';
import { pino } from 'pino';
import type { ToParent } from '../../../../runtime/base/process/supervised.ts';
import { StoreTrouble } from '../../../../runtime/coordinator/perform/store-trouble.ts';
import { CallFailed } from '../../../../runtime/ledger/call-failed.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import { request } from '../../../support/ledger-start.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

interface Bench {
  readonly clock: ManualClock;
  readonly trouble: StoreTrouble;
  readonly lines: { readonly level: number; readonly cause?: string; readonly unlogged?: number }[];
  readonly told: string[];
  /** By whoever waits for the store. */
  readonly heard: (string | null)[];
  why: string | null;
}

function bench(): Bench {
  const lines: Bench['lines'] = [];
  const told: string[] = [];
  const clock = new ManualClock();
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const heard: Bench['heard'] = [];
  const tell = (message: ToParent): void => {
    if (message.kind === 'store') heard.push(message.trouble);
    else told.push(message.kind === 'waiting' ? message.reason : message.kind);
  };
  const onChange = (why: string | null): void => {
    made.why = why;
  };
  const made: Bench = {
    clock,
    lines,
    told,
    heard,
    why: null,
    trouble: new StoreTrouble({ store: 'redis://h', clock, log, tell, onChange }),
  };
  return made;
}

const fails = (message: string) => () => Promise.reject(new CallFailed('not-executed', message));

async function failFor({ clock, trouble }: Bench, forMs: number, verb: string, message: string): Promise<void> {
  for (let ms = 0; ms < forMs; ms += 500) {
    await trouble.hear(verb, fails(message)).catch(() => undefined);
    await clock.advance(500);
  }
}

test('each cause of an outage is logged at once and then with its count, and a person hears of it once it lasts', async (t) => {
  const made = bench();
  await failFor(made, 500, 'commit', 'ECONNREFUSED');
  t.like(made.lines, [{ level: 40, cause: 'ECONNREFUSED', unlogged: 0 }]);
  t.deepEqual([made.told, made.why], [[], 'ECONNREFUSED'], 'a moment is no matter for a person');
  await failFor(made, 2_500, 'commit', 'ECONNREFUSED');
  t.is(made.lines.length, 1);
  t.deepEqual(made.told, ['redis://h: ECONNREFUSED']);
  await failFor(made, 1_000, 'commit', 'LOADING');
  t.like(made.lines[1], { cause: 'LOADING', unlogged: 0 });
  await failFor(made, 3_000, 'commit', 'ECONNREFUSED');
  t.like(made.lines[2], { cause: 'ECONNREFUSED', unlogged: 7 });
  t.is(await made.trouble.hear('commit', async () => 1), 1);
  t.is(made.why, null);
  t.is(made.told.at(-1), 'going-on');
  t.is(made.lines.at(-1)?.level, 30);
});

test('a store that refuses to write and answers everything else is in trouble until it writes', async (t) => {
  const made = bench();
  const ledger = made.trouble.of({ ...createMemoryLedger(), acquire: fails('OOM') });
  await t.throwsAsync(ledger.acquire({} as never), { message: 'OOM' });
  t.is((await ledger.readLease()).lease, null);
  t.is(made.why, 'OOM');
  await made.trouble.hear('acquire', async () => null);
  t.is(made.why, null);
});

test('a verb that nobody asks again is forgotten: a candidate that was refused the lease may find that another one holds it', async (t) => {
  const made = bench();
  await failFor(made, 500, 'acquire', 'OOM');
  await made.trouble.hear('readLease', async () => null);
  t.is(made.why, 'OOM');
  await made.clock.advance(30_000);
  await made.trouble.hear('readLease', async () => null);
  t.is(made.why, null);
});

test('whoever waits for the store hears of its first answer, of trouble that lasts, and of its end', async (t) => {
  const made = bench();
  const answered = () => made.trouble.hear('commit', async () => null);
  await answered();
  await answered();
  t.deepEqual([made.heard, made.told], [[null], []], 'an earlier process may have told of trouble');
  await failFor(made, 3_000, 'commit', 'ECONNREFUSED');
  t.deepEqual(made.heard, [null, 'redis://h: ECONNREFUSED']);
  await answered();
  t.deepEqual(made.heard, [null, 'redis://h: ECONNREFUSED', null]);
});

test('a process whose store answers and refuses to write does not tell that it can be used', async (t) => {
  const made = bench();
  const ledger = made.trouble.of({ ...createMemoryLedger(), acquire: fails('NOREPLICAS') });
  for (const verb of ['check', 'open']) await made.trouble.hear(verb, async () => null);
  for (let ms = 0; ms < 3_000; ms += 500) {
    await ledger.readLease();
    await t.throwsAsync(ledger.acquire({} as never));
    await made.clock.advance(500);
  }
  t.deepEqual(made.heard, ['redis://h: NOREPLICAS']);
  await made.trouble.hear('acquire', async () => null);
  t.deepEqual(made.heard, ['redis://h: NOREPLICAS', null]);
});

test('a process that waits for the lease tells that the store can be used once it sees its holder write', async (t) => {
  const made = bench();
  const memory = createMemoryLedger();
  const waiting = made.trouble.of(memory);
  const won = await memory.acquire(request('holder', null));
  if (won.kind !== 'won') return t.fail(won.kind);
  await waiting.readLease();
  await waiting.readLease();
  t.deepEqual(made.heard, []);
  await memory.renew(won.lease, 1_000);
  await waiting.readLease();
  t.deepEqual(made.heard, [null]);
});

test('an error that is no failed call is its caller’s matter', async (t) => {
  const made = bench();
  await t.throwsAsync(made.trouble.hear('commit', () => Promise.reject(new Error('bug'))));
  t.deepEqual([made.lines, made.why], [[], null]);
});
