/** What the exit codes of each verb mean; null: the usual (runtime/cli/exit-codes.ts). */
type Exits = Readonly<Record<number, string | null>>;

const USAGE = 'usage, no such run, no right to it, or no kind RolloutRun in the cluster: the message says what to change';
const AWAY = 'the API server does not answer';
const LOOKED: Exits = { 0: 'shown', 2: USAGE, 4: AWAY, 70: null };
const WAITED: Exits = {
  0: 'it is asked for, or with --wait it is so',
  2: USAGE,
  4: `${AWAY}, or it is not so within --timeout`,
  5: 'with --wait: the run has failed',
  70: null,
  130: 'interrupted while it waited; what was asked for stands',
};

export type ExitedVerb =
  | 'create'
  | 'validate'
  | 'status'
  | 'list'
  | 'workers'
  | 'explain'
  | 'wait'
  | 'drain'
  | 'suspend'
  | 'resume'
  | 'cancel'
  | 'results';

export const EXITS: Readonly<Record<ExitedVerb | 'all', Exits>> = {
  all: {
    0: 'done',
    1: '`wait`: the run is complete, and some items failed',
    2: USAGE,
    4: `${AWAY}, or a wait is over its time`,
    5: '`wait`: the run has failed, or was deleted',
    6: '`results`: the proof does not hold, or with --partial damaged results were left out',
    70: null,
    130: 'interrupted',
  },
  create: { 0: 'created, or with --dry-run it could be', 2: `${USAGE}; nothing is left behind`, 4: AWAY, 70: null },
  validate: { 0: 'no mistake was found', 2: 'usage, or mistakes: each is shown with its line', 4: `with --server: ${AWAY}`, 70: null },
  status: { ...LOOKED, 0: 'shown, or with --watch looked at until the end or Ctrl-C' },
  list: LOOKED,
  workers: LOOKED,
  explain: LOOKED,
  wait: {
    0: 'it is so; for Complete: every item has a result',
    1: 'the run is complete, and some items failed: `results --errors` has them',
    2: USAGE,
    4: `${AWAY}, it is not so within --timeout, or it cannot be so any more, since the run is complete`,
    5: 'the run has failed, or was deleted',
    70: null,
    130: 'interrupted; the run goes on',
  },
  drain: {
    0: 'it has left, or with --no-wait it was told to',
    2: `${USAGE}; or no such worker`,
    4: `${AWAY}, or the worker does not leave`,
    70: null,
    130: 'interrupted, and it goes on leaving',
  },
  suspend: WAITED,
  resume: WAITED,
  cancel: {
    0: 'it is being deleted, or with --wait it is gone',
    2: `${USAGE}; or the answer was no`,
    4: `${AWAY}, or with --wait it is not gone within 5 minutes`,
    70: null,
    130: 'interrupted while it waited; it is being deleted',
  },
  results: {
    0: 'written',
    2: `${USAGE}; or the run is not complete, or with --partial, --remaining and --failed goes on`,
    4: `${AWAY}, or the reader does not start, or refuses: the message says why, and what to do`,
    6: 'the proof does not hold; with --partial: written, but for recorded results that are damaged',
    70: null,
  },
};
