import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { CallFailed } from '../../../../runtime/ledger/call-failed.ts';
import { storeFailure } from '../../../../runtime/ledger/redis/failure.ts';

const fateOf = (said: string): string => {
  const error = storeFailure(new Error(said));
  if (error instanceof CallFailed) return error.fate;
  return error instanceof RolloutError ? error.code : 'other';
};

test('what a server did not carry out is told apart from what nobody knows, and from what will never work', (t) => {
  for (const said of [
    "OOM command not allowed when used memory > 'maxmemory'.",
    "READONLY You can't write against a read only replica.",
    'LOADING Redis is loading the dataset in memory',
    'BUSY Redis is busy running a script.',
    'MISCONF Errors writing to the AOF file',
    'NOSCRIPT No matching script.',
    'CLUSTERDOWN The cluster is down',
    "Stream isn't writeable and enableOfflineQueue options is false",
  ])
    t.is(fateOf(said), 'not-executed', said);
  for (const said of [
    'Connection is closed.',
    'Reached the max retries per request limit (which is 0).',
    'connect ECONNREFUSED 127.0.0.1:1',
  ])
    t.is(fateOf(said), 'unknown', said);
  for (const said of [
    'NOAUTH Authentication required.',
    "NOPERM this user has no permissions to run the 'hset' command",
    'WRONGTYPE x',
    'ERR x',
  ])
    t.is(fateOf(said), 'STORE_FAILED', said);
});

test('an error that is told apart already stays as it is', (t) => {
  const behind = new RolloutError('LEDGER_BEHIND', 'x');
  t.is(storeFailure(behind), behind);
  t.regex(storeFailure(new Error('NOAUTH x')).message, /password/);
});
