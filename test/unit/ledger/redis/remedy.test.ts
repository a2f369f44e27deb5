import test from 'ava';
import { type Reach, remedyOf } from '../../../../runtime/ledger/redis/remedy.ts';

const KNOWN: Reach = { isTls: false, hasAnswered: true };

test('for each cause of a refusal or an outage that a person can mend there is what to do', (t) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["OOM command not allowed when used memory > 'maxmemory'.", /maxmemory/],
    ["READONLY You can't write against a read only replica.", /primary/],
    ['LOADING Redis is loading the dataset in memory', /when it has done so/],
    ['MISCONF Errors writing to the AOF file', /space/],
    ['BUSY Redis is busy running a script.', /SCRIPT KILL/],
    ['NOREPLICAS Not enough good replicas to write.', /replicas/],
    ['WRONGPASS invalid username-password pair', /--redis-password-file/],
    ['ERR Protocol error: unauthenticated multibulk length', /--redis-password-file/],
    ['NOAUTH Authentication required.', /--redis-password-file/],
    ["Socket timeout. Expecting data, but didn't receive any in 8000ms.", /stopped, overloaded or cut off/],
    ['NOAUTH Authentication required. (Sentinel a:26379)', /--redis-sentinel-password-file/],
    ['MOVED 866 127.0.0.1:7002', /looked for/],
    ['ASK 866 127.0.0.1:7002', /--cluster fix/],
    ['TRYAGAIN Multiple keys request during rehashing of slot', /--cluster fix/],
    ['CLUSTERDOWN The cluster is down', /taken over.*CLUSTER NODES/],
    ['MASTERDOWN Link with MASTER is down', /its primary/],
    ['connect ECONNREFUSED 127.0.0.1:6379', /start the server/],
    ['getaddrinfo ENOTFOUND redis-host', /name of the host/],
    ['TLS: tlsv13 alert certificate required', /--redis-cert and --redis-key/],
    ['certificate has expired', /renew the server/],
    ['TLS: ssl/tls alert certificate expired', /--redis-cert\)/],
    ['self-signed certificate in certificate chain', /--redis-ca-cert/],
    ['TLS: wrong version number', /redis:\/\//],
  ];
  for (const [said, wanted] of cases) t.regex(remedyOf(said, KNOWN) ?? '', wanted, said);
  t.regex(
    remedyOf('read ECONNRESET', KNOWN) ?? '',
    /^see that the server runs/,
    'a server that has answered before needs no advice on TLS',
  );
});

test('one end with TLS and the other without is named where the server has never answered', (t) => {
  t.regex(remedyOf('read ECONNRESET', { isTls: false, hasAnswered: false }) ?? '', /rediss:\/\//);
  t.regex(remedyOf('connect ETIMEDOUT', { isTls: true, hasAnswered: false }) ?? '', /redis:\/\//);
  t.is(remedyOf('connect ETIMEDOUT', { isTls: false, hasAnswered: false }), null);
});
