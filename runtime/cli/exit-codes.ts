/** What the help texts say of them. */
export const EXIT_CODES: string = `
Exit codes:
  0    done: every item has a result
  1    done, and some items failed (they are in <output>.errors.jsonl; rollout retry --failed runs them again)
  2    usage, settings or identity: the message says what to change
  3    fenced: another coordinator has taken the run over
  4    not reachable: model server, coordinator or store; what is recorded is kept
  5    paused: the model server refuses everything; the reason is shown
  6    verify found a break, or a partial export left out damaged results
  70   a bug: the last lines on stderr, or of the log, belong into a report
  130  interrupted; what is recorded is kept, the same command goes on`;
