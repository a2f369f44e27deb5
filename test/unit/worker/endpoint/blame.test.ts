import test from 'ava';
import { type Blame, blameOf } from '../../../../runtime/worker/endpoint/blame.ts';

const STATUSES: Readonly<Record<Exclude<Blame, 'item'>, readonly number[]>> = {
  request: [400, 406, 411, 413, 414, 415, 421, 422, 424, 425, 431, 499],
  unknown: [408, 409, 500, 501, 502, 504, 505, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530, 599],
  endpoint: [301, 302, 303, 304, 307, 308, 401, 402, 403, 404, 405, 407, 410, 451],
};

for (const [blame, statuses] of Object.entries(STATUSES)) {
  test(`${statuses.join(', ')}: ${blame}`, (t) => {
    for (const status of statuses) t.is(blameOf(status, false), blame as Blame, String(status));
  });
}

test('a web page comes from something else than the API, except where gateways tell of one request or of trouble behind them so', (t) => {
  for (const status of [400, 406, 422, 409]) t.is(blameOf(status, true), 'endpoint', String(status));
  for (const status of [413, 414, 431]) t.is(blameOf(status, true), 'request', String(status));
  for (const status of [408, 500, 502, 504, 520]) t.is(blameOf(status, true), 'unknown', String(status));
});
