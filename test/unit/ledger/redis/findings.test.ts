import test from 'ava';
import { fieldsOf, findingsOf, keepsLedgers, type ServerAnswers } from '../../../../runtime/ledger/redis/findings.ts';

const GOOD: ServerAnswers = {
  info: '# Server\r\nredis_version:7.0.15\r\nrole:master\r\naof_enabled:1\r\nconnected_slaves:0\r\nmaxmemory_policy:noeviction\r\n',
  config: { 'maxmemory-policy': 'noeviction', appendfsync: 'always', 'no-appendfsync-on-rewrite': 'no' },
  denied: [],
  unknown: [],
  areKeysDenied: false,
};

const told = (answers: Partial<ServerAnswers>) =>
  findingsOf({ ...GOOD, ...answers }).map(({ severity, what, fix }) => `${severity}: ${what}; ${fix}`);

test('a durable primary with noeviction has no finding', (t) => {
  t.deepEqual(told({}), []);
  t.deepEqual(told({ info: `${GOOD.info}used_memory:2000\r\nmaxmemory:0\r\n` }), [], 'no bound');
  t.deepEqual(told({ info: `${GOOD.info}used_memory:999\r\nmaxmemory:1000\r\n` }), []);
  t.is(fieldsOf(GOOD.info).get('redis_version'), '7.0.15');
});

test('what would lose items without a word is refused, with what to do', (t) => {
  const cases: readonly [Partial<ServerAnswers>, RegExp][] = [
    [
      { config: { ...GOOD.config, 'maxmemory-policy': 'allkeys-lru' } },
      /refused: maxmemory-policy is allkeys-lru.*set maxmemory-policy noeviction/,
    ],
    [{ info: GOOD.info.replace('7.0.15', '6.2.1') }, /refused: .*version 6\.2\.1.*7\.0/],
    [{ info: `${GOOD.info}dragonfly_version:1.2\r\n` }, /refused: .*Dragonfly/],
    [{ info: GOOD.info.replace('role:master', 'role:slave') }, /refused: .*replica.*primary/],
    [{ info: `${GOOD.info}active_replica:1\r\n` }, /refused: .*KeyDB/],
    [{ info: `${GOOD.info}used_memory:2000\r\nmaxmemory:1000\r\n` }, /refused: .*full.*2000 bytes of 1000.*raise maxmemory/],
    [{ denied: ['EVALSHA', 'HSET'] }, /refused: .*EVALSHA, HSET.*\+evalsha \+hset/],
    [{ areKeysDenied: true }, /refused: .*keys.*~rollout:\*/],
    [{ unknown: ['HDEL', 'HSCAN'] }, /refused: .*no HDEL, HSCAN under this name.*rename-command HDEL/],
    [{ info: '', denied: ['INFO'] }, /refused: .*INFO.*\+info/],
  ];
  for (const [answers, wanted] of cases) {
    t.is(told(answers).length, 1, String(wanted));
    t.regex(told(answers)[0] ?? '', wanted);
  }
});

test('a Sentinel is refused with the form of URL that names it, and with nothing else', (t) => {
  const info = 'redis_version:7.0.15\r\nredis_mode:sentinel\r\n';
  const found = told({ info, config: null, denied: ['EVALSHA'] });
  t.is(found.length, 1);
  t.regex(found[0] ?? '', /refused: .*Sentinel.*; .*redis\+sentinel:\/\//);
  t.false(keepsLedgers(info));
});

test('a node of a Cluster is judged like a server by itself', (t) => {
  const info = `${GOOD.info}redis_mode:cluster\r\ncluster_enabled:1\r\n`;
  t.deepEqual(told({ info }), []);
  t.true(keepsLedgers(info));
});

test('what a crash or a fail-over may lose is said, and the run goes on', (t) => {
  const cases: readonly [Partial<ServerAnswers>, RegExp][] = [
    [{ info: GOOD.info.replace('aof_enabled:1', 'aof_enabled:0') }, /warned: .*append-only file is off.*appendonly yes/],
    [{ config: { ...GOOD.config, appendfsync: 'everysec' } }, /warned: .*last two seconds.*executed again.*started over/],
    [{ config: { ...GOOD.config, appendfsync: 'no' } }, /warned: .*half a minute/],
    [{ config: null }, /warned: .*not known.*CONFIG GET/],
    [{ config: { ...GOOD.config, 'no-appendfsync-on-rewrite': 'yes' } }, /warned: .*rewrites/],
    [{ info: GOOD.info.replace('connected_slaves:0', 'connected_slaves:2') }, /warned: .*replicas.*fail-over/],
  ];
  for (const [answers, wanted] of cases) {
    t.is(told(answers).length, 1, String(wanted));
    t.regex(told(answers)[0] ?? '', wanted);
  }
});

test('without CONFIG the policy is read from INFO', (t) => {
  t.true(told({ config: null, info: GOOD.info.replace('noeviction', 'volatile-ttl') }).some((one) => one.includes('volatile-ttl')));
});
