import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { startHealth } from '../../../../runtime/coordinator/server/health.ts';
import type { HealthView } from '../../../../runtime/coordinator/server/health-answer.ts';

const VIEW: HealthView = {
  version: '1.2.3',
  writes: null,
  coordinatorStatus: { kind: 'starting' },
  storeTrouble: null,
  leaseEpoch: null,
  status: null,
  certificate: null,
};

test('it answers at the address that it tells, and no longer once it is stopped', async (t) => {
  let view = VIEW;
  const health = await startHealth({ listen: '127.0.0.1:0', isGiven: true }, silentLog, () => view);
  t.regex(health.address ?? '', /^127\.0\.0\.1:[1-9]\d+$/);
  const red = await fetch(`http://${health.address}/readyz?verbose`);
  t.is(red.status, 503);
  t.regex(await red.text(), /^not yet standing/);
  view = { ...VIEW, coordinatorStatus: { kind: 'passive' } };
  t.is((await fetch(`http://${health.address}/readyz`)).status, 200);
  await health.stop();
  await t.throwsAsync(fetch(`http://${health.address}/healthz`));
});

test('a taken port is refused where it was asked for by name, and left alone where it was not', async (t) => {
  const first = await startHealth({ listen: '127.0.0.1:0', isGiven: true }, silentLog, () => VIEW);
  const listen = first.address ?? '';
  const error = await t.throwsAsync(
    startHealth({ listen, isGiven: true }, silentLog, () => VIEW),
    { code: 'CONFIG_INVALID' },
  );
  t.true(error?.message.includes(listen));
  const second = await startHealth({ listen, isGiven: false }, silentLog, () => VIEW);
  t.not(second.address, first.address);
  t.is((await fetch(`http://${second.address}/healthz`)).status, 200);
  await Promise.all([first.stop(), second.stop()]);
});

test('who connects and asks nothing is let go of within seconds, and keeps no probe out for longer', async (t) => {
  t.timeout(60_000);
  const health = await startHealth({ listen: '127.0.0.1:0', isGiven: true }, silentLog, () => VIEW);
  const silent = connect(Number(health.address?.split(':')[1]), '127.0.0.1');
  const sinceMs = performance.now();
  silent.on('error', () => undefined).resume();
  await once(silent, 'close');
  t.true(performance.now() - sinceMs < 20_000);
  await health.stop();
});

test('where none is wanted there is none', async (t) => {
  const health = await startHealth(null, silentLog, () => VIEW);
  t.is(health.address, null);
  await health.stop();
});
