import test from 'ava';
import { counted, formatDuration, formatSize, parseDurationMs, parseSizeBytes } from '../../../../runtime/base/config/quantity.ts';

test('a duration has a number and a unit', (t) => {
  t.deepEqual(['500ms', '5s', '1.5s', '15m', '2h', '0s'].map(parseDurationMs), [500, 5_000, 1_500, 900_000, 7_200_000, 0]);
});

test('what has no unit, an unknown unit or no number is no duration', (t) => {
  t.deepEqual(['5', '', 's', '-5s', '5 d', '5MS', '1e9s', '5s 3'].map(parseDurationMs), Array(8).fill(null));
});

test('a size has a number and a binary unit', (t) => {
  t.deepEqual(['512B', '64KiB', '8MiB', '1GiB', '0.5 MiB'].map(parseSizeBytes), [512, 65_536, 8_388_608, 1_073_741_824, 524_288]);
  t.deepEqual(['8MB', '8m', '8', '99999999999GiB'].map(parseSizeBytes), [null, null, null, null]);
});

test('a duration is shown in its largest whole unit', (t) => {
  t.deepEqual([0, 4_000, 1_500, 60_000, 90_000, 7_200_000].map(formatDuration), ['0ms', '4s', '1500ms', '1m', '90s', '2h']);
  t.true([1, 999, 1_000, 61_000, 3_600_000].every((ms) => parseDurationMs(formatDuration(ms)) === ms));
});

test('a size is shown with one decimal and never as more than it is', (t) => {
  t.deepEqual([0, 1023, 1024, 1536, 5 * 2 ** 30].map(formatSize), ['0 B', '1023 B', '1.0 KiB', '1.5 KiB', '5.0 GiB']);
  t.is(formatSize(64 * 2 ** 20 - 1), '63.9 MiB');
});

test('a noun stands in the plural but for one', (t) => {
  t.deepEqual(
    [0, 1, 2].map((count) => counted(count, 'blank line')),
    ['0 blank lines', '1 blank line', '2 blank lines'],
  );
});
