import { X509Certificate } from 'node:crypto';
import test from 'ava';
import type { ServedPair } from '../../../../operator/kube/endpoint.ts';
import { followServingPair, ownServingPair, readServingPair } from '../../../../operator/metrics/serving-pair.ts';
import { type Log, silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { writePair } from '../../../support/served-pair.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../../../support/until.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');
const pairOf = (host: string): Promise<ServedPair> => ownServingPair([host], NOW, seededRandom(1));

test('a certificate of its own has the names that were given, is a server’s, and outlives the process', async (t) => {
  const { cert, key } = await ownServingPair(['operator-1', '127.0.0.1'], NOW, seededRandom(1));
  const { subjectAltName, ca, validTo, keyUsage } = new X509Certificate(cert);
  t.is(subjectAltName, 'DNS:operator-1, IP Address:127.0.0.1');
  t.false(ca);
  t.deepEqual(keyUsage, ['1.3.6.1.5.5.7.3.1']);
  t.true(Date.parse(validTo) > NOW + 365 * 86_400_000);
  t.regex(key, /PRIVATE KEY/);
});

test('what cannot be shown is refused at the start, and the message names the place', async (t) => {
  const dir = temporaryDir(t);
  await t.throwsAsync(readServingPair(dir), { code: 'CONFIG_INVALID', message: /metrics\.tlsDir: .*tls\.crt cannot be read/ });
  const [one, other] = [await pairOf('one'), await pairOf('other')];
  writePair(dir, { cert: one.cert, key: other.key });
  await t.throwsAsync(readServingPair(dir), { code: 'CONFIG_INVALID', message: /tls\.key is not the key of tls\.crt/ });
  writePair(dir, { cert: 'nothing', key: one.key });
  await t.throwsAsync(readServingPair(dir), { code: 'CONFIG_INVALID', message: /cannot be used/ });
  writePair(dir, one);
  t.deepEqual(await readServingPair(dir), one);
});

test('files that are replaced are taken once, and never half of them', async (t) => {
  const dir = temporaryDir(t);
  const clock = new ManualClock();
  const [first, second] = [await pairOf('first'), await pairOf('second')];
  writePair(dir, first);
  const taken: ServedPair[] = [];
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (fields: object) => warned.push(fields) } as Log;
  const timer = followServingPair(dir, first, { clock, log }, (pair) => taken.push(pair));
  t.teardown(() => timer.stop());
  const later = async (is: () => boolean): Promise<boolean> => {
    await clock.advance(10_000);
    return is();
  };
  writePair(dir, { cert: second.cert, key: first.key });
  await until('half of a pair is refused', PATIENCE_MS, () => later(() => warned.length > 0));
  t.deepEqual(taken, []);
  await later(() => true);
  writePair(dir, second);
  await until('the new pair is taken', PATIENCE_MS, () => later(() => taken.length > 0));
  await later(() => true);
  t.deepEqual(taken, [second]);
  t.is(warned.length, 1);
});
