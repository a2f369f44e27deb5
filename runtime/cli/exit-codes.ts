/** What each exit code means, for the help texts and for the table of the README, which is the same. `70` is set by launch.js. */
export const EXIT_MEANINGS: Readonly<Record<number, string>> = {
  0: 'done: every item has a result',
  1: 'done, and some items failed: they are in the errors file; `rollout retry --failed` runs them again',
  2: 'usage, settings, identity or damaged results: the message says what to change',
  3: 'fenced: another coordinator has taken the run over',
  4: 'not reachable, or stalled: model server, coordinator or store; what is recorded is kept',
  5: 'paused: the server refuses everything (a wrong key or path, no quota), or more than `--max-failed` failed; run the same command again to resume',
  6: '`verify` found a violation, or a partial export left out damaged results',
  70: 'a bug: the last lines on stderr, or of the log, belong in a report; what is recorded is kept',
  130: 'interrupted; what is recorded is kept',
};

/** The part of a help text; `own` says what a code means for this command, or `null` where it means the usual. */
export function exitHelp(own: Readonly<Record<number, string | null>>): string {
  const rows = Object.entries(own).map(
    ([code, meaning]) => `  ${code.padEnd(4)} ${(meaning ?? EXIT_MEANINGS[Number(code)] ?? '').replaceAll('`', '')}`,
  );
  return ['', 'Exit codes:', ...rows].join('\n');
}

export const EXIT_CODES: string = exitHelp(Object.fromEntries(Object.keys(EXIT_MEANINGS).map((code) => [code, null])));
