import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import * as z from 'zod';
import type { Rules } from '../../../../runtime/base/config/settings.ts';
import { loadSettings, settingsText } from '../../../../runtime/base/config/settings-file.ts';

interface Settings {
  readonly name: string;
  readonly limit: number;
}

const RULES: Rules<Settings> = {
  schema: z.strictObject({ name: z.string(), limit: z.number().default(7) }),
  check: ({ limit }) => (limit > 100 ? [{ field: 'limit', problem: 'is too high' }] : []),
};

async function load(t: ExecutionContext, text: string): Promise<Settings> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-settings-'));
  t.teardown(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'c.yaml'), text);
  return loadSettings(join(dir, 'c.yaml'), RULES);
}

test('what is written for a process is read as it was, with the defaults of what is missing', async (t) => {
  for (const name of ['a', 'on', '0x10', '"', 'ä\n: #', '1.50', '']) {
    t.deepEqual(await load(t, settingsText({ name })), { name, limit: 7 });
  }
});

test('what a person writes as YAML or as other JSON is read the same way', async (t) => {
  for (const text of ['name: a\nlimit: 9\n', '{"name": "a", "limit": 9}', '{\n  "name": "a",\n  "limit": 9\n}']) {
    t.deepEqual(await load(t, text), { name: 'a', limit: 9 });
  }
});

test('mistakes in either are told with their lines, a member given twice among them', async (t) => {
  await t.throwsAsync(load(t, settingsText({ name: 'a', limit: 101 })), { message: /`limit` at line 3 is too high/ });
  await t.throwsAsync(load(t, settingsText({ name: 'a', limits: 1 })), { message: /unknown key `limits` at line 3/ });
  await t.throwsAsync(load(t, settingsText({ name: 1 })), { message: /`name` at line 2/ });
  await t.throwsAsync(load(t, '{\n  "name": "a",\n  "name": "b"\n}\n'), { message: /line 3: Map keys must be unique/ });
  await t.throwsAsync(load(t, 'null\n'), { code: 'CONFIG_INVALID' });
});
