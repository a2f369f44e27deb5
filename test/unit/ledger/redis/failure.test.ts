import { inspect } from 'node:util';
import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { CallFailed } from '../../../../runtime/ledger/call-failed.ts';
import { type Broken, storeFailure } from '../../../../runtime/ledger/redis/failure.ts';

const CONNECTED: Broken = { trouble: null, isTls: false, hasAnswered: true };

const fateOf = (said: string): string => {
  const error = storeFailure(new Error(said), CONNECTED);
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
    'ERR Script attempted to access a non local key in a cluster node script: f1, on @user_script:9.',
    "Stream isn't writeable and enableOfflineQueue options is false",
  ])
    t.is(fateOf(said), 'not-executed', said);
  for (const said of [
    'Connection is closed.',
    'the server has closed the connection',
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
  t.is(storeFailure(behind, CONNECTED), behind);
});

test('what the user of the run may not do is told with what to give it, also where a script was refused a command', (t) => {
  for (const said of [
    "NOPERM this user has no permissions to run the 'evalsha' command",
    "ERR The user executing the script can't run this command or subcommand script: 235f, on @user_script:83.",
    "ERR The user executing the script can't access at least one of the keys mentioned in the command arguments script: 235f, on @user_script:83.",
    "NOPERM ACL failure in script: User run has no permissions to run the 'hget' command script: 235f, on @user_script:83.",
    "ERR ACL failure in script: User run has no permissions to run the 'hget' command script: 235f, on @user_script:83.",
  ])
    t.regex(storeFailure(new Error(said), CONNECTED).message, /give the user of this run the commands/, said);
  t.regex(storeFailure(new Error('ERR x'), CONNECTED).message, /check the server/);
});

test('what a call without a connection is told names what ended it, and what to do', (t) => {
  const none = new Error("Stream isn't writeable and enableOfflineQueue options is false");
  const refused = storeFailure(none, { ...CONNECTED, trouble: new Error('connect ECONNREFUSED 127.0.0.1:1') });
  t.like(refused, { fate: 'not-executed' });
  t.is(refused.message, 'there is no connection to Redis (connect ECONNREFUSED 127.0.0.1:1): start the server, or check the address');
  const closed = storeFailure(new Error('Connection is closed.'), { ...CONNECTED, trouble: new Error('read ECONNRESET') });
  t.like(closed, { fate: 'unknown', message: 'Redis gave no answer (read ECONNRESET): see that the server runs, and look at its log' });
});

test('a password that the server has refused is not tried for a minute: the caller is told at once', (t) => {
  const trouble = new Error('WRONGPASS invalid username-password pair or user is disabled.');
  const told = storeFailure(new Error("Stream isn't writeable and enableOfflineQueue options is false"), { ...CONNECTED, trouble });
  t.like(told, { code: 'STORE_FAILED' });
  t.regex(told.message, /WRONGPASS.*give the right password/);
});

test('neither an error nor its cause carries the command, whose arguments may be a password', (t) => {
  const said = 'WRONGPASS invalid username-password pair or user is disabled.';
  for (const message of [said, 'OOM command not allowed', 'Connection is closed.']) {
    const error = Object.assign(new Error(message), { command: { name: 'auth', args: ['secret'] } });
    const told = storeFailure(error, CONNECTED);
    t.false(inspect(told, { depth: 9, showHidden: true }).includes('secret'), message);
    t.true(told.cause instanceof Error);
  }
});
