import test from 'ava';
import { type Request, whyDenied } from '../../../runtime/rpc/access.ts';
import type { Identity } from '../../../runtime/tls/identity.ts';

const CALLERS = {
  'w-1': { role: 'worker', runId: 'R1', workerId: 'w-1' },
  coordinator: { role: 'coordinator', runId: 'R1' },
  client: { role: 'client', runId: 'R1' },
  authority: { role: 'authority', runId: 'R1' },
  'w-1 of another run': { role: 'worker', runId: 'R2', workerId: 'w-1' },
  'client of another run': { role: 'client', runId: 'R2' },
  nobody: null,
} as const satisfies Record<string, Identity | null>;

const REQUESTS = {
  'as w-1': { service: 'worker', workerId: 'w-1' },
  'as w-2': { service: 'worker', workerId: 'w-2' },
  status: { service: 'run' },
  identify: { service: 'coordinator' },
} as const satisfies Record<string, Request>;

/** Everything that is allowed; all else is denied. */
const ALLOWED = ['w-1 as w-1', 'w-1 identify', 'coordinator identify', 'client status', 'client identify'];

test('every caller may exactly what the table allows', (t) => {
  const allowed = Object.entries(CALLERS).flatMap(([who, caller]) =>
    Object.entries(REQUESTS)
      .filter(([, request]) => whyDenied(caller, 'R1', request) === null)
      .map(([what]) => `${who} ${what}`),
  );
  t.deepEqual(allowed, ALLOWED);
});

test('a denial says who called and what is wrong', (t) => {
  t.is(whyDenied(CALLERS['w-1'], 'R1', REQUESTS['as w-2']), 'spiffe://rollout/R1/worker/w-1 may not speak as worker w-2');
  t.is(whyDenied(CALLERS['w-1'], 'R1', REQUESTS.status), 'spiffe://rollout/R1/worker/w-1 is no client of the run');
  t.is(whyDenied(CALLERS['client of another run'], 'R1', REQUESTS.status), 'spiffe://rollout/R2/client belongs to another run; this is R1');
  t.regex(whyDenied(null, 'R1', REQUESTS.identify) ?? '', /no identity/);
});
