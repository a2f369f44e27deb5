import test from 'ava';
import { isStartedIgnoring, type StartSigns } from '../../../../runtime/base/process/hangup.ts';

const NONE: StartSigns = { command: '/usr/bin/node', parentStatus: 'SigIgn:\t0000000000001000\n', stdin: null };

test('nothing tells of an ignored hangup', (t) => {
  t.false(isStartedIgnoring(NONE));
  t.false(isStartedIgnoring({ command: undefined, parentStatus: null, stdin: null }));
  t.false(isStartedIgnoring({ ...NONE, stdin: { target: '/dev/null', info: 'pos:\t0\nflags:\t0100000\n' } }), 'read from /dev/null');
  t.false(isStartedIgnoring({ ...NONE, stdin: { target: '/dev/pts/1', info: 'pos:\t0\nflags:\t0100002\n' } }));
  t.false(isStartedIgnoring({ ...NONE, stdin: { target: '/tmp/file', info: 'pos:\t0\nflags:\t0100001\n' } }));
});

test('nohup is known by the command that the shell has started, and by what it makes of a terminal on standard input', (t) => {
  t.true(isStartedIgnoring({ ...NONE, command: '/usr/bin/nohup' }));
  t.true(isStartedIgnoring({ ...NONE, command: 'nohup' }));
  t.true(isStartedIgnoring({ ...NONE, stdin: { target: '/dev/null', info: 'pos:\t0\nflags:\t02100001\n' } }));
});

test('a parent that ignores a hangup has passed that on', (t) => {
  t.true(isStartedIgnoring({ ...NONE, parentStatus: 'Name:\tbash\nSigIgn:\t0000000000000005\nSigCgt:\t0000000000010002\n' }));
  t.false(isStartedIgnoring({ ...NONE, parentStatus: 'Name:\tbash\nSigIgn:\t0000000000000004\nSigCgt:\t0000000000010003\n' }));
});
