import { assert, present } from '../base/assert.ts';

/** Where the coordinators are, and which one is tried next. */
export interface Addresses {
  readonly list: readonly string[];
  readonly position: number;
  /** What a passive coordinator said about the primary; tried first, once. */
  readonly told: string | null;
}

export function addressesOf(list: readonly string[]): Addresses {
  assert(list.length > 0, 'at least one coordinator address');
  return { list, position: 0, told: null };
}

export function currentAddress(addresses: Addresses): string {
  return addresses.told ?? present(addresses.list[addresses.position], 'address');
}

/** After a failure: the primary where the answer named one, else the next of the list. What was told and did not hold is forgotten. */
export function onUnreached(addresses: Addresses, primary: string | null): Addresses {
  if (primary !== null && primary !== currentAddress(addresses)) return { ...addresses, told: primary };
  return { ...addresses, position: (addresses.position + 1) % addresses.list.length, told: null };
}
