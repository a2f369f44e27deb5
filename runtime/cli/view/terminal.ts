/** Whether lines may be drawn over: on a terminal that can move its cursor, unless its user wants plain text. Pure. */
export function isDrawable(isTerminal: boolean, env: Readonly<Record<string, string | undefined>>): boolean {
  const { TERM, NO_COLOR } = env;
  return isTerminal && TERM !== undefined && TERM !== '' && TERM !== 'dumb' && (NO_COLOR ?? '') === '';
}
