import { inspect } from 'node:util';
import test from 'ava';
import { isSystemError, plainError } from '../../../../runtime/ledger/redis/client-error.ts';

test('of an error the name, the code and what it says are kept, and nothing else', (t) => {
  const given = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read', command: { args: ['secret'] } });
  given.name = 'ReplyError';
  const plain = plainError(given);
  t.like(plain, { name: 'ReplyError', message: 'read ECONNRESET', code: 'ECONNRESET', syscall: 'read' });
  t.false(inspect(plain, { showHidden: true }).includes('secret'));
  t.is(plainError('words').message, 'words');
});

test('where each address of a name was refused, each is named', (t) => {
  const refused = (address: string): Error => new Error(`connect ECONNREFUSED ${address}`);
  const given = Object.assign(new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]), { code: 'ECONNREFUSED' });
  const plain = plainError(given);
  t.is(plain.message, 'connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1');
  t.true(isSystemError(plain));
});

test('of what OpenSSL says only the reason is for people', (t) => {
  const given = Object.assign(new Error('80FC:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../rec.c:1'), {
    code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
    reason: 'tlsv13 alert certificate required',
  });
  t.is(plainError(given).message, 'TLS: tlsv13 alert certificate required');
});

test('the words of a server are told apart from those of the system', (t) => {
  t.false(isSystemError(new Error('WRONGPASS x')));
  t.false(isSystemError('x'));
  for (const code of ['ECONNREFUSED', 'ERR_SSL_WRONG_VERSION_NUMBER', 'SELF_SIGNED_CERT_IN_CHAIN', 'CERT_HAS_EXPIRED'])
    t.true(isSystemError(Object.assign(new Error('x'), { code })), code);
});
