import { parentPort, workerData } from 'node:worker_threads';
import { mustGet } from '../../base/assert.ts';
import { type ErrorMessage, toErrorMessage } from '../file/input-error.ts';
import { buildIndex, type IndexJob } from './build-index.ts';
import type { IndexSummary } from './index-summary.ts';

/** What the indexing thread tells the main thread. */
export type IndexerMessage =
  | { readonly kind: 'written'; readonly count: number }
  | { readonly kind: 'complete'; readonly summary: IndexSummary }
  | ({ readonly kind: 'failed' } & ErrorMessage);

const port = mustGet(parentPort, 'the port of the thread that started the indexing');
const tell = (message: IndexerMessage): void => port.postMessage(message);

try {
  tell({ kind: 'complete', summary: await buildIndex(workerData as IndexJob, (count) => tell({ kind: 'written', count })) });
} catch (error) {
  tell({ kind: 'failed', ...toErrorMessage(error) });
}
