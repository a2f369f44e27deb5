/** Leaves room for the counts, the rate and the workers on one line of a wide terminal. */
const BAR_WIDTH = 30;

/** `share`: 0 to 1. */
export function drawnBar(share: number): string {
  const filled = Math.round(BAR_WIDTH * share);
  return '█'.repeat(filled) + '░'.repeat(BAR_WIDTH - filled);
}
