import test from 'ava';
import fc from 'fast-check';
import { AssertionFailed } from '../../../runtime/base/assert.ts';
import { cutAtPage, RangePage, rangePageOf, type WorkerNames } from '../../../runtime/ledger/range-page.ts';
import type { GrantedRange } from '../../../runtime/ledger/rows.ts';
import { running } from '../../support/ledger-rows.ts';

const NAMES: WorkerNames = { nameOf: (number) => `w${number}`, numberOf: (worker) => Number(worker.slice(1)) };
const PAGE = 256;

function range(from: number, count: number, worker = 'w1', claimEpoch = 3): GrantedRange {
  return { from, count, item: running(worker, 1, claimEpoch) };
}

function pageOf(number: number, ...ranges: readonly GrantedRange[]): RangePage {
  const page = new RangePage(number, null, NAMES);
  for (const one of ranges) page.grant(one);
  return page;
}

test('an item is open from its grant until it is closed, once', (t) => {
  const page = pageOf(1, range(PAGE, 3), range(PAGE + 3, 2, 'w2', 4));
  t.deepEqual(
    [PAGE, PAGE + 2, PAGE + 4, PAGE + 5].map((index) => page.itemAt(index)?.row.worker ?? null),
    ['w1', 'w1', 'w2', null],
  );
  t.true(page.close(PAGE + 1));
  t.false(page.close(PAGE + 1));
  t.false(page.close(PAGE + 5));
  t.deepEqual(
    page.openItems().map(({ index }) => index - PAGE),
    [0, 2, 3, 4],
  );
});

test('what is granted, closed and packed in any way reads back as it was', (t) => {
  const grants = fc.array(fc.record({ count: fc.integer({ min: 1, max: 40 }), worker: fc.constantFrom('w0', 'w1', 'w4294967295') }), {
    maxLength: 6,
  });
  fc.assert(
    fc.property(grants, fc.array(fc.nat(PAGE - 1)), (given, closed) => {
      const page = new RangePage(2, null, NAMES);
      let from = 2 * PAGE;
      for (const { count, worker } of given) {
        page.grant(range(from, count, worker));
        from += count;
      }
      for (const within of closed) page.close(2 * PAGE + within);
      const bytes = page.pack(NAMES);
      t.deepEqual(bytes === null ? [] : new RangePage(2, bytes, NAMES).openItems(), page.openItems());
    }),
  );
});

test('a range without an open item is not kept, nor a page without a range', (t) => {
  const page = pageOf(0, range(0, 2), range(2, 200, 'w2'));
  t.is(page.pack(NAMES)?.length, 32 + 20);
  for (const index of [0, 1]) page.close(index);
  t.is(page.pack(NAMES)?.length, 32 + 10);
  for (let index = 2; index < 202; index += 1) page.close(index);
  t.is(page.pack(NAMES), null);
});

test('only a page that was granted or closed in has changed', (t) => {
  const page = new RangePage(0, pageOf(0, range(0, 1)).pack(NAMES), NAMES);
  page.itemAt(0);
  page.close(7);
  t.false(page.isChanged);
  page.close(0);
  t.true(page.isChanged);
});

test('a range is cut at the borders of its pages', (t) => {
  const parts: GrantedRange[] = [];
  for (let rest: GrantedRange | null = range(250, 600); rest !== null; ) {
    const [part, after]: readonly [GrantedRange, GrantedRange | null] = cutAtPage(rest);
    parts.push(part);
    rest = after;
  }
  t.deepEqual(
    parts.map(({ from, count }) => [rangePageOf(from), from, count]),
    [
      [0, 250, 6],
      [1, 256, 256],
      [2, 512, 256],
      [3, 768, 82],
    ],
  );
});

test('what is no range of the page, or no page, is refused', (t) => {
  t.throws(() => pageOf(0, range(255, 2)), { instanceOf: AssertionFailed });
  t.throws(() => pageOf(1, range(255, 1)), { instanceOf: AssertionFailed });
  t.throws(() => pageOf(0, { ...range(0, 1), item: running('w1', 2) }), { instanceOf: AssertionFailed });
  for (const length of [0, 32, 41, 43]) {
    t.throws(() => new RangePage(0, new Uint8Array(length), NAMES), { instanceOf: AssertionFailed }, `${length} bytes`);
  }
});
