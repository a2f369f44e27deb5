import test from 'ava';
import { inFlagWords } from '../../../../runtime/cli/view/flag-words.ts';

test('a setting in a message of a process reads as the flag that was given, with its value', (t) => {
  const line = 'the backend was not ready within waitBackend (10000 ms): refused. Wait longer with waitBackend';
  t.is(inFlagWords(line), 'the backend was not ready within --wait-backend 10s: refused. Wait longer with --wait-backend');
  t.is(inFlagWords('requestTimeout (1500 ms)'), '--timeout 1500ms');
});

test('other words stay as they are', (t) => {
  for (const line of ['disk is full', 'the waitBackends of myBaseUrl', '']) t.is(inFlagWords(line), line);
});
