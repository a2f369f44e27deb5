import test from 'ava';
import * as z from 'zod';
import { MOCK, OPENAI } from '../../../runtime/settings/backend.ts';
import { COORDINATOR } from '../../../runtime/settings/coordinator.ts';
import { shapeOf } from '../../../runtime/settings/schema.ts';
import type { Setting } from '../../../runtime/settings/setting.ts';
import { LEASE_TIMING, TIMING } from '../../../runtime/settings/timing.ts';
import { WORKER } from '../../../runtime/settings/worker.ts';

const SAMPLE = {
  name: { kind: 'text', text: 'required' },
  size: { kind: 'size', default: '2KiB', text: 'with a default' },
  most: { kind: 'count', least: 1, most: 3, otherwise: 'none', text: 'optional' },
  'block.wait': { kind: 'interval', default: '3s', text: 'in a block' },
  'block.file': { kind: 'text', otherwise: 'none', text: 'in a block' },
  'needed.dir': { kind: 'text', text: 'required in a block' },
} as const;
const schema = z.strictObject(shapeOf(SAMPLE));
const LEAST = { name: 'n', needed: { dir: 'd' } };

function isRefused(change: object): boolean {
  return !schema.safeParse({ ...LEAST, ...change }).success;
}

test('what is not given has its default, in milliseconds and bytes, or is null', (t) => {
  t.deepEqual(schema.parse(LEAST), { ...LEAST, size: 2_048, most: null, block: { wait: 3_000, file: null } });
});

test('what is given is read, also in a block of which the rest is left out', (t) => {
  t.like(schema.parse({ ...LEAST, most: 3, block: { file: 'f' } }), { most: 3, block: { wait: 3_000, file: 'f' } });
});

test('bounds, units and names hold, and what is required has to be there', (t) => {
  t.false(isRefused({}));
  for (const wrong of [{ most: 4 }, { most: 0 }, { most: null }, { size: 5 }, { name: '' }, { block: { wait: '0s' } }, { other: 1 }])
    t.true(isRefused(wrong), JSON.stringify(wrong));
  t.true(isRefused({ needed: {} }));
  t.true(isRefused({ needed: undefined }), 'a block with a required setting is required');
});

test('every default is a value that its setting takes', (t) => {
  const settings = [COORDINATOR, WORKER, OPENAI, MOCK, TIMING, LEASE_TIMING].flatMap((table) => Object.entries<Setting>(table));
  const withDefault = settings.filter(([, setting]) => 'default' in setting);
  t.true(withDefault.length > 25);
  for (const [path, setting] of withDefault) {
    t.true(z.strictObject(shapeOf({ [path]: setting })).safeParse({}).success, path);
  }
});
