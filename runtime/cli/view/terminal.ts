/** Whether lines may be drawn over: on a terminal that can move its cursor, unless its user wants plain text. Pure. */
export function isDrawable(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM, NO_COLOR } = env;
  return isTerminal && TERM !== undefined && TERM !== '' && TERM !== 'dumb' && (NO_COLOR ?? '') === '';
}

/** Leaves room for the counts, the rate and the workers on one line of a wide terminal. */
const BAR_WIDTH = 30;

/** A bar for such a terminal. `share`: 0 to 1. */
export function drawnBar(share: number): string {
  const filled = Math.round(BAR_WIDTH * share);
  return '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
}
