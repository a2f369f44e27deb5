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
});

test('what the user of the run may not do is told with what to give it, also where a script was refused a command', (t) => {
  for (const said of [
    'NOAUTH x',
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "ERR The user executing the script can't run this command or subcommand script: 235f, on @user_script:83.",
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 235f, on @user_script:83.",
    "NOPERM ACL failure in script: User run has no permissions to run the 'hget' command script: 235f, on @user_script:83.",
    "ERR ACL failure in script: User run has no permissions to run the 'hget' command script: 235f, on @user_script:83.",
  ])
    t.regex(storeFailure(new Error(said)).message, /Give the user of this run the password and the commands/, said);
  t.regex(storeFailure(new Error('ERR x')).message, /Check the server/);
});
