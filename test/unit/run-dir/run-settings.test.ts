import test from 'ava';
import { compareItems, compareSettings, type RunSettings } from '../../../runtime/run-dir/run-settings.ts';

const SETTINGS: RunSettings = { raw: false, limit: null, maxLineBytes: 1_024, model: 'm', overrideModel: null };

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
      { ...SETTINGS, maxLineBytes: 512 },
      { name: 'maxLineBytes', found: '1024', wanted: '512' },
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
  t.is(compareSettings(SETTINGS, { raw: true, limit: 1, maxLineBytes: 9, model: null, overrideModel: 'x' }).length, 5);
});

test('a higher limit names the same items and more; a lower one, the form and the length of lines name others', (t) => {
  const limited = { ...SETTINGS, limit: 5 };
  t.is(compareItems(SETTINGS, { ...SETTINGS, model: 'n' }), 'same');
  t.is(compareItems(limited, { ...limited, limit: 6 }), 'more');
  t.is(compareItems(limited, SETTINGS), 'more');
  t.is(compareItems(SETTINGS, limited), 'different');
  t.is(compareItems(limited, { ...limited, limit: 4 }), 'different');
  t.is(compareItems(limited, { ...limited, limit: 6, raw: true }), 'different');
  t.is(compareItems(SETTINGS, { ...SETTINGS, maxLineBytes: 512 }), 'different');
});
