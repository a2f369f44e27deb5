import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { checkedForm } from '../../runtime/input/file/check-form.ts';
import { begin, isGzip, plainBytes } from '../../runtime/input/file/plain-bytes.ts';
import { SEEN_CACHE_PAGES, SeenIds } from '../../runtime/input/index/seen-ids.ts';
import type { ItemForm } from '../../runtime/model/session.ts';
import type { CliWorld } from './deps.ts';
import { ListCheck, type ListReport, type See, seeInMemory } from './manifest/list-check.ts';
import { shownName, sourceOf } from './read-file.ts';

/** Checks a list of any length, plain or gzip, as a run would when it indexes it. */
export async function checkListFile(world: CliWorld, file: string, form: ItemForm): Promise<ListReport> {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-validate-'));
  const seen = new SeenIds(join(dir, 'seen'), SEEN_CACHE_PAGES);
  try {
    return await checkPieces(sourceOf(world, file), file, form, (customId, lineNumber) => seen.see(customId, lineNumber));
  } finally {
    seen.discard();
    await rm(dir, { recursive: true, force: true });
  }
}

/** The same of bytes that are in memory. */
export async function checkListBytes(bytes: Uint8Array, name: string, form: ItemForm): Promise<ListReport> {
  return checkPieces(Readable.from([bytes]), name, form, seeInMemory());
}

async function checkPieces(source: Readable, file: string, form: ItemForm, see: See): Promise<ListReport> {
  const name = shownName(file);
  const begun = await begin(source, name);
  const check = new ListCheck(form, see);
  const of = { kind: isGzip(begun.head) ? 'gzip' : 'file', path: name } as const;
  for await (const piece of checkedForm(plainBytes(begun, name), of, form)) check.push(piece);
  return check.end();
}
