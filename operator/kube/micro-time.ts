/** A wall time as leases and events have it: with six digits behind the second, since the API server refuses three. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}
