import test from 'ava';
import { checkKeptArguments } from '../../../../runtime/cli/run/kept-arguments.ts';
import { EMBEDDED, namedStore } from '../../../../runtime/model/store.ts';

const REDIS = namedStore({ redis: 'redis://a' });

test('a flag for results or a ledger in Redis is refused where the run has them elsewhere', (t) => {
  t.throws(() => checkKeptArguments({ inlineLimit: '1MiB' }, REDIS, 'directory'), { code: 'USAGE', message: /--results inline/ });
  t.throws(() => checkKeptArguments({ redisExpireAfter: '2h' }, EMBEDDED, 'directory'), { code: 'USAGE', message: /name it with --redis/ });
});

test('where the run has them in Redis the flags hold, also for a command that does not name the server again', (t) => {
  t.notThrows(() => checkKeptArguments({ inlineLimit: '1MiB', redisExpireAfter: '2h' }, REDIS, 'inline'));
  t.notThrows(() => checkKeptArguments({}, EMBEDDED, 'directory'));
});
