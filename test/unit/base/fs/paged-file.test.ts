import { join } from 'node:path';
import test from 'ava';
import fc from 'fast-check';
import { PAGE_WORDS, PageCache, PagedFile } from '../../../../runtime/base/fs/paged-file.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a page that was never written is all zeros, also after another page used its place', (t) => {
  const file = new PagedFile(join(temporaryDir(t), 'file'), new PageCache(1));
  const page = file.page(5);
  page.words.fill(7);
  page.isDirty = true;
  t.true(file.page(1_000).words.every((word) => word === 0));
  t.true(file.page(5).words.every((word) => word === 7));
  file.discard();
});

test('whatever the order and however small the cache, a page holds what was last written, in each of two files', (t) => {
  const dir = temporaryDir(t);
  const step = fc.record({
    file: fc.integer({ min: 0, max: 1 }),
    page: fc.integer({ min: 0, max: 9 }),
    value: fc.option(fc.integer({ min: 1, max: 1_000 })),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), fc.integer({ min: 1, max: 5 }), (steps, cachePages) => {
      const cache = new PageCache(cachePages);
      const files = [new PagedFile(join(dir, 'a'), cache), new PagedFile(join(dir, 'b'), cache)];
      const model = new Map<string, number>();
      for (const { file, page, value } of steps) {
        const found = files[file]?.page(page);
        t.is(found?.words[PAGE_WORDS - 1], model.get(`${file}/${page}`) ?? 0);
        if (found === undefined || value === null) continue;
        found.words[PAGE_WORDS - 1] = value;
        found.isDirty = true;
        model.set(`${file}/${page}`, value);
      }
      for (const file of files) file.discard();
    }),
    { numRuns: 200 },
  );
  t.pass();
});

test('the pages of a discarded file leave their places to others', (t) => {
  const dir = temporaryDir(t);
  const cache = new PageCache(1);
  const first = new PagedFile(join(dir, 'a'), cache);
  first.page(0).isDirty = true;
  first.discard();
  const second = new PagedFile(join(dir, 'b'), cache);
  t.is(second.page(0).words[0], 0);
  second.discard();
});
