import { status as Code } from '@grpc/grpc-js';
import test from 'ava';
import { isUnresolved, type Refusal, statusOf, unansweredOf } from '../../../runtime/rpc/status.ts';

/** What the client makes of a refusal of the server. */
function seenByClient(refusal: Refusal): ReturnType<typeof unansweredOf> {
  const { code, details, trailer } = statusOf(refusal);
  return unansweredOf(code, details, (key) => trailer[key]);
}

test('each refusal of the server is understood by the client', (t) => {
  t.deepEqual(seenByClient({ kind: 'denied', detail: 'no' }), { kind: 'refused', detail: 'PERMISSION_DENIED: no' });
  t.deepEqual(seenByClient({ kind: 'invalid', field: 'attempt', problem: 'counts from 1' }), {
    kind: 'refused',
    detail: 'INVALID_ARGUMENT: attempt counts from 1',
  });
  t.deepEqual(seenByClient({ kind: 'not-leader', primaryAddress: 'h:1' }), { kind: 'not-leader', primaryAddress: 'h:1' });
  t.deepEqual(seenByClient({ kind: 'not-leader', primaryAddress: '' }), { kind: 'not-leader', primaryAddress: '' });
  t.is(seenByClient({ kind: 'fenced' }).kind, 'unreachable');
  t.deepEqual(seenByClient({ kind: 'behind', detail: 'old' }), { kind: 'unreachable', detail: 'UNAVAILABLE: old' });
  t.is(seenByClient({ kind: 'failed' }).kind, 'unreachable');
});

test('every status code of gRPC has a meaning', (t) => {
  const codes = Object.values(Code).filter((code) => typeof code === 'number');
  t.is(codes.length, 17);
  const refused = codes.filter((code) => unansweredOf(code, '', () => undefined).kind === 'refused').map((code) => Code[code]);
  t.deepEqual(refused, [
    'INVALID_ARGUMENT',
    'NOT_FOUND',
    'ALREADY_EXISTS',
    'PERMISSION_DENIED',
    'RESOURCE_EXHAUSTED',
    'FAILED_PRECONDITION',
    'OUT_OF_RANGE',
    'UNIMPLEMENTED',
    'UNAUTHENTICATED',
  ]);
});

test('people read in the details of a passive coordinator where the primary is', (t) => {
  t.is(statusOf({ kind: 'not-leader', primaryAddress: 'h:1' }).details, 'notLeader: the primary is at h:1');
  t.is(statusOf({ kind: 'not-leader', primaryAddress: '' }).details, 'notLeader: no primary is known');
});

test('why there is no connection is told in few words, and what to do about certificates of two authorities', (t) => {
  const told = (reason: string): unknown =>
    unansweredOf(Code.UNAVAILABLE, `No connection established. Last error: ${reason}. Resolution note: `, () => undefined);
  t.like(told('Error: connect ECONNREFUSED 127.0.0.1:1'), { detail: 'UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:1' });
  t.like(told('Error: self-signed certificate in certificate chain'), {
    detail:
      'UNAVAILABLE: self-signed certificate in certificate chain: both sides need certificates of one authority, so copy ca.pem from the coordinator',
  });
  t.like(
    unansweredOf(Code.UNAVAILABLE, 'Connection dropped', () => undefined),
    { detail: 'UNAVAILABLE: Connection dropped' },
  );
});

test('a certificate that is not valid now is told with both causes it may have', (t) => {
  for (const reason of ['certificate has expired', 'certificate is not yet valid']) {
    const seen = unansweredOf(
      Code.UNAVAILABLE,
      `No connection established. Last error: Error: ${reason}. Resolution note: `,
      () => undefined,
    );
    t.like(seen, { kind: 'unreachable' });
    t.regex(
      'detail' in seen ? seen.detail : '',
      new RegExp(`^UNAVAILABLE: ${reason}: by the clock of this machine .*clocks of both machines, or`),
    );
  }
});

test('an address whose name does not resolve is told from one where nobody answers', (t) => {
  const seen = (details: string): boolean => isUnresolved(unansweredOf(Code.UNAVAILABLE, details, () => undefined));
  t.true(seen('Name resolution failed for target dns:answers-coordinator.team.svc:50051'));
  t.false(seen('No connection established. Last error: Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: '));
});
