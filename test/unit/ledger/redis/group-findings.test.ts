import test from 'ava';
import {
  type GroupAnswers,
  groupFindings,
  quorumWords,
  replicasOf,
  type ServerGroup,
} from '../../../../runtime/ledger/redis/group-findings.ts';

const GOOD: Omit<GroupAnswers, 'group'> = { info: 'role:master\r\nconnected_slaves:2\r\n', config: { 'min-replicas-to-write': '1' } };
const CLUSTER: ServerGroup = { kind: 'cluster', named: 3, primaries: 3 };
const SENTINEL: ServerGroup = { kind: 'sentinel', named: 3, answering: 3, said: { quorum: 'OK 3 usable Sentinels', refusal: null } };

const told = (group: ServerGroup, answers: Partial<GroupAnswers> = {}) =>
  groupFindings({ ...GOOD, ...answers, group }).map(({ severity, what, fix }) => `${severity}: ${what}; ${fix}`);

test('three of each, replicas and a primary that stops without them: nothing is found', (t) => {
  for (const group of [CLUSTER, SENTINEL]) t.deepEqual(told(group), [], group.kind);
  t.deepEqual(told({ kind: 'alone' }, { info: '', config: null }), [], 'a server by itself has nobody that takes over');
  t.is(replicasOf(GOOD.info), 2);
});

test('what stands in the way of a fail-over is warned of, with what to do', (t) => {
  const cases: readonly [ServerGroup, Partial<GroupAnswers>, RegExp][] = [
    [CLUSTER, { info: 'connected_slaves:0' }, /no replica.*let a replica follow/],
    [SENTINEL, { config: { 'min-replicas-to-write': '0' } }, /cut off.*set min-replicas-to-write 1/],
    [{ ...CLUSTER, primaries: 2 }, {}, /2 primaries.*three primaries or more/],
    [{ ...CLUSTER, named: 1 }, {}, /one node.*name several/],
    [{ ...SENTINEL, said: { quorum: 'NOQUORUM 1 usable Sentinels', refusal: null } }, {}, /NOQUORUM 1 usable.*three Sentinels or more/],
    [{ ...SENTINEL, answering: 2 }, {}, /1 of 3 Sentinels do not answer.*start them/],
    [{ ...SENTINEL, named: 1, answering: 1 }, {}, /one Sentinel.*name all/],
  ];
  for (const [group, answers, wanted] of cases) {
    t.is(told(group, answers).length, 1, String(wanted));
    t.regex(told(group, answers)[0] ?? '', wanted);
  }
});

test('without CONFIG nothing is said of a setting that is not known', (t) => {
  t.deepEqual(told(CLUSTER, { config: null }), []);
});

test('what a Sentinel refuses is no word of the quorum, and is told with what to do about it', (t) => {
  const [ok, no] = ['OK 3 usable Sentinels. Quorum can be reached', 'NOQUORUM 1 usable Sentinels'];
  const silent = new Error('connect ECONNREFUSED');
  t.deepEqual(quorumWords([ok, new Error(no), silent]), { quorum: no, refusal: null }, 'a word against it weighs more');
  t.deepEqual(quorumWords([silent]), { quorum: null, refusal: null });
  const refusals: readonly [string, RegExp][] = [
    ['NOAUTH Authentication required.', /--redis-sentinel-password-file/],
    ['NOPERM this user has no permissions', /\+sentinel/],
    ['ERR No such master with that name', /SENTINEL MASTERS/],
  ];
  for (const [refusal, remedy] of refusals) {
    const said = quorumWords([new Error(refusal), ok, ok]);
    t.deepEqual(said, { quorum: ok, refusal });
    const found = told({ kind: 'sentinel', named: 3, answering: 3, said });
    t.is(found.length, 1, refusal);
    t.regex(found[0] ?? '', remedy);
    t.notRegex(found[0] ?? '', /would not carry out/);
  }
});
