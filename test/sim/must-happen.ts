import type { Coverage } from './coverage.ts';
import { FAULT_KINDS } from './fault-kinds.ts';

/** So many seeds have to show everything at least once; fewer may miss something by chance. */
export const ENOUGH_SEEDS = 2_000;

/** What a simulation has to have seen to be worth its name; the names are those of `Coverage.count`. */
const EVENTS: readonly string[] = [
  'takeover',
  'lease taken by expiry',
  'coordinator ended fenced',
  'coordinator fenced at boot',
  'coordinator ended interrupted',
  'coordinator ended paused',
  'exported again',
  'coordinator ended STORE_FAILED',
  'coordinator ended RESULT_LOG_FAILED',
  'failed by timeout',
  'failed by exited',
  'suspected',
  'steal',
  'second attempt',
  'claim found a running row',
  'assigned again',
  'outcome of a row that was taken (L15)',
  'outcome of an older claim (L10)',
  'row restored (L44)',
  'outbox found',
  'word of a deposed coordinator',
  'told stale',
  'told revoked',
  'revoked at a hello',
  'told superseded',
  'told hello-needed',
  'told drain',
  'told finished',
  'handed back failed',
  'handed back lost',
  'handed back drained',
  'handed back unavailable',
  'handed back throttled',
  'handed back recalled',
  'handed back suspected',
  'handed back crashed',
  'poison',
  'torn tail',
  'zero-filled tail',
  'hole before the tail',
  'name lost at a power cut',
  'worker left drained',
  'worker left superseded',
  'worker left STORE_FAILED',
  'executed again',
  'claimed while the input was being indexed',
  'a world of more than four workers',
  'results in the store',
  'append that was carried out before',
];

/** What never happened, and must. */
export function missing(coverage: Coverage): readonly string[] {
  return [...FAULT_KINDS.map((kind) => `fault ${kind}`), ...EVENTS].filter((what) => coverage.of(what) === 0);
}
