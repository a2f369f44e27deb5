/** Addresses that only say where to listen: on all interfaces. */
const WILDCARD = /^(?:0(?:\.0){0,3}|\[(?:0*:)*:?0*(?:\.0){0,3}\]|\*):\d+$/;

/** The address as others may use it; empty for one at which they would reach their own machine. They go on with their list then. */
export function reachable(address: string): string {
  return WILDCARD.test(address) ? '' : address;
}
