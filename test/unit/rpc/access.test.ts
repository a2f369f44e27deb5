import test from 'ava';
import { type Request, whyDenied } from '../../../runtime/rpc/access.ts';
import type { Identity } from '../../../runtime/tls/identity.ts';

const CALLERS = {
  'w-1': { role: 'worker', runId: 'run-1', workerId: 'w-1' },
  workers: { role: 'workers', runId: 'run-1' },
  coordinator: { role: 'coordinator', runId: 'run-1' },
  client: { role: 'client', runId: 'run-1' },
  authority: { role: 'authority', runId: 'run-1' },
  'w-1 of another run': { role: 'worker', runId: 'run-2', workerId: 'w-1' },
  'client of another run': { role: 'client', runId: 'run-2' },
  'workers of another run': { role: 'workers', runId: 'run-2' },
  nobody: null,
} as const satisfies Record<string, Identity | null>;

const REQUESTS = {
  'as w-1': { service: 'worker', workerId: 'w-1' },
  'as w-2': { service: 'worker', workerId: 'w-2' },
  status: { service: 'run' },
  identify: { service: 'coordinator' },
} as const satisfies Record<string, Request>;

/** Everything that is allowed; all else is denied. */
const ALLOWED = [
  'w-1 as w-1',
  'w-1 identify',
  'workers as w-1',
  'workers as w-2',
  'workers identify',
  'coordinator identify',
  'client status',
  'client identify',
];

test('every caller may exactly what the table allows', (t) => {
  const allowed = Object.entries(CALLERS).flatMap(([who, caller]) =>
    Object.entries(REQUESTS)
      .filter(([, request]) => whyDenied(caller, 'run-1', request) === null)
      .map(([what]) => `${who} ${what}`),
  );
  t.deepEqual(allowed, ALLOWED);
});

test('a denial says who called and what is wrong', (t) => {
  t.is(whyDenied(CALLERS['w-1'], 'run-1', REQUESTS['as w-2']), 'spiffe://rollout/run-1/worker/w-1 may not speak as worker w-2');
  t.is(whyDenied(CALLERS['w-1'], 'run-1', REQUESTS.status), 'spiffe://rollout/run-1/worker/w-1 is no client of the run');
  t.is(
    whyDenied(CALLERS['client of another run'], 'run-1', REQUESTS.status),
    'spiffe://rollout/run-2/client belongs to another run; this is run-1',
  );
  t.regex(whyDenied(null, 'run-1', REQUESTS.identify) ?? '', /no identity/);
});
