import test from 'ava';
import { MAX_DELAY_MS, statedDelayMs } from '../../../../runtime/worker/endpoint/stated-delay.ts';

const WALL_MS = Date.UTC(2030, 0, 1);
const of = (headers: Readonly<Record<string, string>>): number => statedDelayMs(headers, WALL_MS);

test('a date is compared with the Date of the same answer, whatever the clock here says', (t) => {
  const date = 'Tue, 01 Jan 2030 06:00:00 GMT';
  t.is(of({ date, 'retry-after': 'Tue, 01 Jan 2030 06:00:07 GMT' }), 7_000);
  t.is(of({ date, 'retry-after': 'Tue, 01 Jan 2030 05:00:00 GMT' }), 0);
});

test('a date in an answer without a Date, or with one that cannot be read, is compared with the clock here', (t) => {
  t.is(of({ 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 7_000);
  t.is(of({ date: 'today', 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 7_000);
});

test('a date may have any form of the standard', (t) => {
  t.is(of({ 'retry-after': 'Tuesday, 01-Jan-30 00:00:07 GMT' }), 7_000);
  t.is(of({ 'retry-after': 'Tue Jan  1 00:00:07 2030' }), 7_000);
});

test('seconds are digits, milliseconds may have a fraction, and anything else says nothing', (t) => {
  t.is(of({ 'retry-after': ' 2 ' }), 2_000);
  t.is(of({ 'retry-after-ms': '150', 'retry-after': '9' }), 150);
  t.is(of({ 'retry-after-ms': '150.4' }), 150);
  for (const odd of ['soon', '1e1', '0x2', '2.5', '-3', '+3', '', 'Infinity', '1 Jan 2030 00:01']) {
    t.is(of({ 'retry-after': odd }), 0, odd);
  }
  t.is(of({}), 0);
});

test('milliseconds that say nothing do not hide Retry-After', (t) => {
  for (const odd of ['', ' ', 'soon', '-1', '1e1', '99999999999999999999']) {
    t.is(of({ 'retry-after-ms': odd, 'retry-after': '9' }), 9_000, odd);
  }
});

test('a delay is bounded to minutes, and one beyond a day says nothing', (t) => {
  t.is(of({ 'retry-after': '3600' }), MAX_DELAY_MS);
  t.is(of({ 'retry-after': '86400' }), MAX_DELAY_MS);
  for (const absurd of ['86401', '1000000000', '99999999999999999999', '9'.repeat(400), 'Fri, 01 Jan 2100 00:00:00 GMT']) {
    t.is(of({ 'retry-after': absurd }), 0, absurd);
  }
});
