import type { TestFn } from 'ava';
import type { OpenPlace } from '../support/place-start.ts';
import { identitySuite } from './results/identity.suite.ts';
import { logSuite } from './results/log.suite.ts';
import { segmentSuite } from './results/segment.suite.ts';

/** What every place of a result log must do, wherever it keeps the bytes. */
export function resultsSuite(test: TestFn, open: OpenPlace): void {
  identitySuite(test, open);
  segmentSuite(test, open);
  logSuite(test, open);
}
