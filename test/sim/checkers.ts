import type { Timing } from '../../runtime/model/timing.ts';
import type { Checking } from './checking.ts';
import { FailureChecker } from './failure-checker.ts';
import { HelloChecker } from './hello-checker.ts';
import { LedgerChecker } from './ledger-checker.ts';
import { LogChecker } from './log-checker.ts';
import type { SimDisk } from './sim-disk.ts';
import { TalkChecker } from './talk-checker.ts';
import { WorkerChecker } from './worker-checker.ts';

/** Those who look on from beside, each at its own edge; they know the rules, and none of the code that keeps them. */
export interface Checkers {
  readonly ledger: LedgerChecker;
  readonly log: LogChecker;
  readonly talk: TalkChecker;
  readonly hello: HelloChecker;
  readonly failure: FailureChecker;
  readonly worker: WorkerChecker;
}

export function createCheckers(checking: Checking, disk: SimDisk, timing: Timing): Checkers {
  const ledger = new LedgerChecker(checking, timing);
  const worker = new WorkerChecker(checking, timing);
  return {
    ledger,
    log: new LogChecker(checking, ledger),
    talk: new TalkChecker(checking, ledger, disk),
    hello: new HelloChecker(checking, ledger.items),
    failure: new FailureChecker(checking, ledger, timing, (index, attempt) => worker.wasExecuted(index, attempt)),
    worker,
  };
}
