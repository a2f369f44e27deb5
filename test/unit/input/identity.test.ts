import test from 'ava';
import { compareIdentity, describeRun, identityHash, type RunSettings } from '../../../runtime/input/identity.ts';

const SETTINGS: RunSettings = { raw: false, limit: null, model: 'm', overrideModel: null };
const RUN = describeRun('00ff', SETTINGS);

test('the same input and settings are the same run', (t) => {
  t.deepEqual(compareIdentity(RUN, describeRun('00ff', { ...SETTINGS })), []);
  t.is(identityHash(RUN), identityHash(describeRun('00ff', { ...SETTINGS })));
  t.regex(identityHash(RUN), /^[0-9a-f]{64}$/);
});

test('each part that shapes results makes another run, and is named as a person sets it', (t) => {
  const others = [
    [describeRun('11ee', SETTINGS), { name: 'input (SHA-256)', found: '00ff', wanted: '11ee' }],
    [describeRun('00ff', { ...SETTINGS, raw: true }), { name: '--raw', found: 'no', wanted: 'yes' }],
    [describeRun('00ff', { ...SETTINGS, limit: 10 }), { name: '--limit', found: 'none', wanted: '10' }],
    [describeRun('00ff', { ...SETTINGS, model: 'n' }), { name: '--model', found: 'm', wanted: 'n' }],
    [describeRun('00ff', { ...SETTINGS, overrideModel: 'o' }), { name: '--override-model', found: 'none', wanted: 'o' }],
  ] as const;
  for (const [other, difference] of others) t.deepEqual(compareIdentity(RUN, other), [difference]);
  t.is(new Set([RUN, ...others.map(([other]) => other)].map(identityHash)).size, others.length + 1);
});

test('all differences are told at once', (t) => {
  const other = describeRun('11ee', { raw: true, limit: 1, model: null, overrideModel: 'x' });
  t.is(compareIdentity(RUN, other).length, 5);
});

test('an input hash that is not known on one side is no difference', (t) => {
  t.deepEqual(compareIdentity(describeRun(null, SETTINGS), RUN), []);
  t.deepEqual(compareIdentity(RUN, describeRun(null, SETTINGS)), []);
});

test('settings that do not shape results are no part of it', (t) => {
  const more = { ...SETTINGS, workers: 3, baseUrl: 'http://localhost:8000', concurrency: 9 };
  t.is(identityHash(describeRun('00ff', more)), identityHash(RUN));
});
