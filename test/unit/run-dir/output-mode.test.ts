import test from 'ava';
import { outputMode } from '../../../runtime/run-dir/output-mode.ts';

test('of the input and the umask the stricter one holds; standard input has the umask alone', (t) => {
  t.is(outputMode(0o100600, 0o022), 0o600);
  t.is(outputMode(0o100644, 0o077), 0o600);
  t.is(outputMode(0o100640, 0o022), 0o640);
  t.is(outputMode(0o100664, 0o002), 0o664);
  t.is(outputMode(null, 0o022), 0o644);
  t.is(outputMode(null, 0o027), 0o640);
});

test('the owner may read and write it, and nobody executes it', (t) => {
  t.is(outputMode(0o100400, 0o022), 0o600);
  t.is(outputMode(0o100755, 0o022), 0o644);
  t.is(outputMode(null, 0o777), 0o600);
});
