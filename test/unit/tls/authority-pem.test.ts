import test from 'ava';
import { authorityProblem } from '../../../runtime/tls/authority-pem.ts';
import { ownCa } from '../../support/zoo/own-ca.ts';

const { ca, tls } = await ownCa();
const problem = (text: string): string | null => authorityProblem(Buffer.from(text, 'latin1'));
const lines = ca.trim().split('\n');

test('one certificate or several, with comments between them, and a key beside them, can be used', (t) => {
  t.is(problem(ca), null);
  t.is(problem(`# ours\n${ca}\nsubject=x\n${tls.cert}\n${tls.key}`), null);
  t.is(problem(ca.replaceAll('\n', '\r\n')), null);
});

test('a file that was cut is told as such, wherever in it', (t) => {
  for (const at of [ca.length / 2, ca.trimEnd().length - 1, 30])
    t.is(problem(ca.slice(0, at)), 'a certificate in it ends too early: the file was cut');
  t.is(problem(`${ca}\n${ca.slice(0, 100)}`), 'a certificate in it ends too early: the file was cut');
  t.is(problem(`${ca.slice(0, 100)}\n${ca}`), 'a certificate in it ends too early: the file was cut');
});

test('a certificate that cannot be read is named by its place', (t) => {
  const without = lines.toSpliced(2, 1).join('\n');
  t.is(problem(`${ca}\n${without}`), 'its certificate 2 is damaged');
  t.is(problem('-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'), 'its certificate 1 is damaged');
});

test('what holds no certificate is told by what it holds', (t) => {
  t.is(problem(' \n'), 'it is empty');
  t.is(problem(tls.key), 'it holds a private key, and no certificate');
  t.is(problem('hello'), 'it holds no certificate in PEM form');
  const der = Buffer.from(lines.slice(1, -1).join(''), 'base64');
  t.regex(authorityProblem(Buffer.concat([Buffer.from([0x30, 0x82]), der])) ?? '', /perhaps in DER form: `openssl x509 -inform der/);
});
