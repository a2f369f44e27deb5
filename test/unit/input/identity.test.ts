import test from 'ava';
import { compareSettings, type RunSettings } from '../../../runtime/input/identity.ts';

const SETTINGS: RunSettings = { raw: false, limit: null, model: 'm', overrideModel: null };

test('the same settings are the same run, whatever else is kept beside them', (t) => {
  t.deepEqual(compareSettings(SETTINGS, { ...SETTINGS }), []);
  const more = { ...SETTINGS, workers: 3, baseUrl: 'http://localhost:8000', concurrency: 9 };
  t.deepEqual(compareSettings(SETTINGS, more), []);
});

test('each setting that shapes results makes another run, and is named as a person sets it', (t) => {
  const others = [
    [
      { ...SETTINGS, raw: true },
      { name: '--raw', found: 'no', wanted: 'yes' },
    ],
    [
      { ...SETTINGS, limit: 10 },
      { name: '--limit', found: 'none', wanted: '10' },
    ],
    [
      { ...SETTINGS, model: 'n' },
      { name: '--model', found: 'm', wanted: 'n' },
    ],
    [
      { ...SETTINGS, overrideModel: 'o' },
      { name: '--override-model', found: 'none', wanted: 'o' },
    ],
  ] as const;
  for (const [other, difference] of others) t.deepEqual(compareSettings(SETTINGS, other), [difference]);
});

test('all differences are told at once', (t) => {
  t.is(compareSettings(SETTINGS, { raw: true, limit: 1, model: null, overrideModel: 'x' }).length, 4);
});
