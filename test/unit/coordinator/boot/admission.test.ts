import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Admission, type Admitted, admit } from '../../../../runtime/coordinator/boot/admission.ts';
import type { KeptInput } from '../../../../runtime/results/inline/input.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const MIB = 2 ** 20;
const OLD = '{"a":1}\n{"a":2}\n';

/** What is written down in the store, as the script there does it. */
class Kept implements Admission {
  readonly limitBytes: number = MIB;
  text: string | null = null;

  async bind(_: number, input: KeptInput, instead: KeptInput | null) {
    const own = JSON.stringify(input);
    if (this.text === own) return { kind: 'bound' } as const;
    if (this.text !== (instead === null ? null : JSON.stringify(instead)))
      return { kind: 'differs', kept: JSON.parse(this.text ?? '') as KeptInput } as const;
    this.text = own;
    return { kind: 'bound' } as const;
  }
}

function admitted(
  t: ExecutionContext,
  kept: Admission,
  text: string,
  more: { readonly form?: 'raw' | 'batch'; readonly items?: number; readonly recorded?: number } = {},
): Promise<Admitted> {
  const inputPath = join(temporaryDir(t), 'in.jsonl');
  writeFileSync(inputPath, text);
  const sha256 = createHash('sha256').update(text).digest('hex');
  const summary = { items: more.items ?? 2, sha256, hashedBytes: Buffer.byteLength(text) };
  return admit(kept, 3, { inputPath, form: more.form ?? 'batch', maxLineBytes: 100, summary, recorded: more.recorded ?? 0 });
}

test('every coordinator of a run has to have the same list; the first one writes it down', async (t) => {
  const kept = new Kept();
  for (let n = 0; n < 2; n += 1) t.deepEqual(await admitted(t, kept, OLD), { kind: 'admitted' });
  const other = await t.throwsAsync(admitted(t, kept, OLD.replace('2', '3')), { code: 'IDENTITY_DIFFERS' });
  t.regex(other?.message ?? '', /another list than .*in\.jsonl: it has 16 bytes with SHA-256 [0-9a-f]{64}, and this one has 16 bytes/);
  await t.throwsAsync(admitted(t, kept, OLD, { form: 'raw' }), { code: 'IDENTITY_DIFFERS' });
  t.deepEqual(await admitted(t, kept, OLD), { kind: 'admitted' });
});

test('a list that has grown is the same one; after that the shorter one is refused, which lacks items', async (t) => {
  const kept = new Kept();
  await admitted(t, kept, OLD);
  t.deepEqual(await admitted(t, kept, `${OLD}{"a":3}\n`), { kind: 'admitted' });
  await t.throwsAsync(admitted(t, kept, OLD), { code: 'IDENTITY_DIFFERS', message: /put the longer one here/ });
  await t.throwsAsync(admitted(t, kept, `${OLD.replace('1', '7')}{"a":3}\n{"a":4}\n`), { code: 'IDENTITY_DIFFERS' });
});

test('a list that cannot fit is refused, and nothing is written down', async (t) => {
  const kept = new Kept();
  t.like(await admitted(t, kept, OLD, { items: 1_000_000 }), { kind: 'full' });
  t.is(kept.text, null);
});

test('a limit that is lower by now does not keep a recorded list from its export', async (t) => {
  const kept = new Kept();
  const items = 1_000_000;
  t.deepEqual(await admitted(t, kept, OLD, { items, recorded: items }), { kind: 'admitted' });
  t.like(await admitted(t, kept, OLD, { items, recorded: items - 1 }), { kind: 'full' });
});

test('L5: a coordinator that is deposed meanwhile is told so', async (t) => {
  const fenced = { kind: 'fenced', epoch: 4 } as const;
  t.deepEqual(await admitted(t, { limitBytes: MIB, bind: async () => fenced }, OLD), fenced);
});
