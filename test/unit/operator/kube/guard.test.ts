import test from 'ava';
import { NoAnswer } from '../../../../operator/kube/api-error.ts';
import type { KubeClient } from '../../../../operator/kube/client.ts';
import { createGuard, type Guard } from '../../../../operator/kube/guard.ts';
import { type Kind, SUBJECT_ACCESS_REVIEW, TOKEN_REVIEW } from '../../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../../operator/kube/object.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;
/** What the API server says of each token: whose it is, and whether he may get the page. */
const USERS: Readonly<Record<string, { readonly username: string; readonly may: boolean }>> = {
  good: { username: 'prometheus', may: true },
  poor: { username: 'jane', may: false },
};

interface Stage {
  readonly guard: Guard;
  readonly clock: ManualClock;
  /** The kinds of the reviews that were asked for. */
  readonly asked: string[];
  /** What the next reviews wait for. */
  hold(until: Promise<void>): void;
  fail(error: Error | null): void;
}

function stage(): Stage {
  const clock = new ManualClock();
  const asked: string[] = [];
  let held: Promise<void> = Promise.resolve();
  let failure: Error | null = null;
  const create = async (kind: Kind<KubeObject>, object: KubeObject): Promise<KubeObject> => {
    asked.push(kind.kind);
    await held;
    if (failure !== null) throw failure;
    const { spec } = object as KubeObject & { readonly spec: { readonly token?: string; readonly user?: string } };
    const user = USERS[spec.token ?? ''];
    if (kind === TOKEN_REVIEW) return { ...object, status: { authenticated: user !== undefined, user } } as KubeObject;
    const may = Object.values(USERS).find(({ username }) => username === spec.user)?.may ?? false;
    return { ...object, status: { allowed: may } } as KubeObject;
  };
  return {
    guard: createGuard({ client: { create } as unknown as KubeClient, clock, log: silentLog }),
    clock,
    asked,
    hold: (until) => {
      held = until;
    },
    fail: (error) => {
      failure = error;
    },
  };
}

const BOTH: readonly string[] = [TOKEN_REVIEW.kind, SUBJECT_ACCESS_REVIEW.kind];

test('who may get the page gets it, and the API server is asked once a minute', async (t) => {
  const { guard, clock, asked } = stage();
  t.is(await guard('/metrics', 'Bearer good'), null);
  await clock.advance(MINUTE_MS - 1);
  t.is(await guard('/metrics', 'Bearer good'), null);
  t.deepEqual(asked, BOTH);
  await clock.advance(1);
  t.is(await guard('/metrics', 'Bearer good'), null);
  t.deepEqual(asked, [...BOTH, ...BOTH]);
});

test('who shows no token, or one that is nobody’s, is told so: 401', async (t) => {
  const { guard, asked } = stage();
  for (const header of [undefined, 'Basic dTpw']) {
    const page = await guard('/metrics', header);
    t.like(page, { status: 401, headers: { 'www-authenticate': 'Bearer' } });
    t.regex(page?.body ?? '', /show a token/);
  }
  t.deepEqual(asked, []);
  const page = await guard('/metrics', 'Bearer stolen');
  t.is(page?.status, 401);
  t.regex(page?.body ?? '', /does not know this token/);
  t.deepEqual(asked, [TOKEN_REVIEW.kind]);
});

test('who may not get the page is told which right he lacks: 403', async (t) => {
  const { guard } = stage();
  const page = await guard('/metrics', 'Bearer poor');
  t.is(page?.status, 403);
  t.regex(page?.body ?? '', /^jane may not get \/metrics: .*verb get for the nonResourceURL \/metrics/);
});

test('an API server that does not answer lets nobody in, and is asked again: 503', async (t) => {
  const { guard, fail } = stage();
  fail(new NoAnswer('no answer'));
  t.is((await guard('/metrics', 'Bearer good'))?.status, 503);
  fail(null);
  t.is(await guard('/metrics', 'Bearer good'), null);
});

test('callers with the same token share a review; with many tokens at once most are sent away', async (t) => {
  const { guard, asked, hold } = stage();
  let go: () => void = () => undefined;
  hold(new Promise((resolve) => (go = resolve)));
  const same = [guard('/metrics', 'Bearer good'), guard('/metrics', 'Bearer good')];
  const others = Array.from({ length: 20 }, (_, n) => guard('/metrics', `Bearer guess${n}`));
  await Promise.resolve();
  t.true(asked.length <= 8);
  go();
  t.deepEqual(await Promise.all(same), [null, null]);
  const statuses = (await Promise.all(others)).map((page) => page?.status);
  t.deepEqual(new Set(statuses), new Set([401, 503]));
  t.is(await guard('/metrics', 'Bearer good'), null);
});

test('of tokens that nobody knows only the last are remembered', async (t) => {
  const { guard, asked } = stage();
  for (let n = 0; n < 300; n += 1) await guard('/metrics', `Bearer guess${n}`);
  asked.length = 0;
  await guard('/metrics', 'Bearer guess299');
  t.deepEqual(asked, []);
  await guard('/metrics', 'Bearer guess0');
  t.deepEqual(asked, [TOKEN_REVIEW.kind]);
});
