import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type AuditedCall, auditedCalls, lackingIn } from '../../support/cluster/audit.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

interface Said {
  readonly id: string;
  readonly stage: 'ResponseStarted' | 'ResponseComplete';
  readonly second: number;
  readonly verb?: string;
  readonly isDenied?: boolean;
}

function entry({ id, stage, second, verb = 'watch', isDenied = false }: Said): string {
  return JSON.stringify({
    auditID: id,
    stage,
    verb,
    user: { username: 'system:serviceaccount:rollout:operator', extra: { 'authentication.kubernetes.io/pod-name': ['operator-1'] } },
    objectRef: { resource: 'nodes' },
    responseStatus: { code: isDenied ? 403 : 200 },
    requestReceivedTimestamp: new Date(second * 1_000).toISOString(),
    annotations: { 'authorization.k8s.io/decision': isDenied ? 'forbid' : 'allow' },
  });
}

function callsIn(t: ExecutionContext, ...said: readonly Said[]): readonly AuditedCall[] {
  const run = temporaryDir(t);
  mkdirSync(join(run, 'logs'));
  writeFileSync(join(run, 'logs/audit.log'), said.map((one) => `${entry(one)}\n`).join(''));
  return auditedCalls('rollout:operator', run);
}

const denied: readonly Said[] = [
  { id: 'a', stage: 'ResponseStarted', second: 1, isDenied: true },
  { id: 'a', stage: 'ResponseComplete', second: 1, isDenied: true },
];

test('a watch is one call, whether it is still open or has ended', (t) => {
  const open: Said = { id: 'b', stage: 'ResponseStarted', second: 2 };
  t.is(callsIn(t, open).length, 1);
  t.is(callsIn(t, open, { ...open, stage: 'ResponseComplete' }).length, 1);
});

test('what is refused, and allowed later by a watch that is still open, is no right that lacks', (t) => {
  t.deepEqual(lackingIn(callsIn(t, ...denied, { id: 'b', stage: 'ResponseStarted', second: 2 })), []);
});

test('what is refused while the same pod may do something else lacks', (t) => {
  const lacking = lackingIn(callsIn(t, ...denied, { id: 'b', stage: 'ResponseComplete', second: 2, verb: 'get' }));
  t.deepEqual(
    lacking.map(({ verb, resource, code }) => [verb, resource, code]),
    [['watch', '/nodes', 403]],
  );
});
