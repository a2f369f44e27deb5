import test from 'ava';
import type { Lease } from '../../../../operator/kube/kind.ts';
import {
  DEFAULT_LEASE_TIMES,
  heldSpec,
  type LeaseAction,
  type LeaseTerms,
  leadsUntilMs,
  NEW_CANDIDATE,
  nextLeaseAction,
  onNotWritten,
  onRead,
  onTime,
  onWritten,
  type Standing,
} from '../../../../operator/kube/lease-action.ts';

const TERMS: LeaseTerms = { identity: 'me', ...DEFAULT_LEASE_TIMES };

function leaseOf(holder: string | undefined, renewTime = 'r1', seconds = 15): Lease {
  const spec = { ...(holder === undefined ? {} : { holderIdentity: holder }), leaseDurationSeconds: seconds, renewTime };
  return { metadata: { name: 'lease', namespace: 'ns', resourceVersion: '1' }, spec };
}

function candidate(lease: Lease | null, sinceMs: number): Standing {
  return { kind: 'candidate', seen: lease === null ? null : { lease, sinceMs } };
}

const LEADER: Standing = { kind: 'leader', seen: { lease: leaseOf('me'), sinceMs: 0 }, renewedMs: 1_000, isDoubtful: false };

const TABLE: readonly (readonly [string, Standing, number, boolean, LeaseAction])[] = [
  ['a candidate reads first', NEW_CANDIDATE, 0, false, 'read'],
  ['where there is no lease it makes one', candidate(null, 0), 0, true, 'create'],
  ['it waits while another one holds it', candidate(leaseOf('other'), 0), 14_999, true, 'wait'],
  ['it takes what has not changed for the whole time', candidate(leaseOf('other'), 0), 15_000, true, 'take'],
  ['it waits longer where the holder says so', candidate(leaseOf('other', 'r1', 60), 0), 59_999, true, 'wait'],
  ['and no less than its own time where the holder says less', candidate(leaseOf('other', 'r1', 1), 0), 14_999, true, 'wait'],
  ['it takes at once what was released', candidate(leaseOf(undefined), 0), 0, true, 'take'],
  ['an empty name is a release too', candidate(leaseOf(''), 0), 0, true, 'take'],
  ['it takes at once what it has written without hearing so', candidate(leaseOf('me'), 0), 0, true, 'take'],
  ['a leader renews without reading', LEADER, 2_000, false, 'renew'],
  ['one whose write was refused reads first', onNotWritten(LEADER), 2_000, false, 'read'],
  ['who has lost the lead is done', { kind: 'lost', why: 'taken' }, 0, false, 'end'],
];

for (const [name, standing, nowMs, hasRead, action] of TABLE) {
  test(name, (t) => {
    t.is(nextLeaseAction(standing, nowMs, TERMS, hasRead), action);
  });
}

test('a lease counts as old from when it was first seen as it is, whatever times are in it', (t) => {
  let standing = onRead(NEW_CANDIDATE, 1_000, leaseOf('other', '1970-01-01T00:00:00.000000Z'), TERMS);
  standing = onRead(standing, 9_000, leaseOf('other', '1970-01-01T00:00:00.000000Z'), TERMS);
  t.is(nextLeaseAction(standing, 15_999, TERMS, true), 'wait');
  t.is(nextLeaseAction(standing, 16_000, TERMS, true), 'take');
  standing = onRead(standing, 15_000, leaseOf('other', '1970-01-01T00:00:02.000000Z'), TERMS);
  t.is(nextLeaseAction(standing, 29_999, TERMS, true), 'wait');
});

test('a change of anything but the content is no sign of life', (t) => {
  const lease = leaseOf('other');
  const seen = onRead(NEW_CANDIDATE, 0, lease, TERMS);
  const labelled = { ...lease, metadata: { ...lease.metadata, resourceVersion: '2', labels: { a: 'b' } } };
  t.is(nextLeaseAction(onRead(seen, 14_000, labelled, TERMS), 15_000, TERMS, true), 'take');
});

test('the lead lasts from when the accepted write was sent, and ends before a candidate may take it', (t) => {
  const leader = onWritten(NEW_CANDIDATE, 4_000, leaseOf('me'), 3_000);
  if (leader.kind !== 'leader') return t.fail();
  t.is(leadsUntilMs(leader, TERMS), 13_000);
  t.is(onTime(leader, 12_999, TERMS), leader);
  t.deepEqual(onTime(leader, 13_000, TERMS), { kind: 'lost', why: 'not-renewed' });
  t.true(DEFAULT_LEASE_TIMES.renewDeadlineMs < DEFAULT_LEASE_TIMES.leaseMs);
  t.true(DEFAULT_LEASE_TIMES.retryMs * 1.2 < DEFAULT_LEASE_TIMES.renewDeadlineMs);
});

test('a leader that finds another name, or no lease, leads no more', (t) => {
  for (const lease of [leaseOf('other'), leaseOf(undefined), null]) {
    t.deepEqual(onRead(onNotWritten(LEADER), 2_000, lease, TERMS), { kind: 'lost', why: 'taken' });
  }
});

test('a leader that finds its own name goes on from that version, and reading is no renewal', (t) => {
  const lease = leaseOf('me', 'r2');
  const read = onRead(onNotWritten(LEADER), 9_000, lease, TERMS);
  t.deepEqual(read, { ...LEADER, seen: { lease, sinceMs: 9_000 }, isDoubtful: false });
  t.deepEqual(onTime(read, 11_000, TERMS), { kind: 'lost', why: 'not-renewed' });
});

test('what is lost stays lost, whatever is answered later', (t) => {
  const lost: Standing = { kind: 'lost', why: 'not-renewed' };
  t.is(onWritten(lost, 5_000, leaseOf('me'), 4_000), lost);
  t.is(onRead(lost, 5_000, leaseOf('me'), TERMS), lost);
  t.is(onNotWritten(lost), lost);
  t.is(onTime(lost, 0, TERMS), lost);
});

test('a change of the holder counts as a transition and begins a term; a renewal does neither', (t) => {
  t.deepEqual(heldSpec(null, 'now', TERMS), {
    holderIdentity: 'me',
    leaseDurationSeconds: 15,
    acquireTime: 'now',
    renewTime: 'now',
    leaseTransitions: 0,
  });
  const other: Lease = { ...leaseOf('other'), spec: { holderIdentity: 'other', acquireTime: 'then', leaseTransitions: 4 } };
  t.like(heldSpec(other, 'now', TERMS), { acquireTime: 'now', leaseTransitions: 5 });
  const own: Lease = { ...other, spec: { ...other.spec, holderIdentity: 'me' } };
  t.like(heldSpec(own, 'now', TERMS), { acquireTime: 'then', renewTime: 'now', leaseTransitions: 4 });
  const released: Lease = { ...other, spec: { acquireTime: 'then', leaseTransitions: 4 } };
  t.like(heldSpec(released, 'now', TERMS), { acquireTime: 'now', leaseTransitions: 5 });
});
