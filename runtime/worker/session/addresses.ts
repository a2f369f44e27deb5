/** Where the coordinators are, and which one is tried next. The list is empty until a parent has told it. */
export interface Addresses {
  readonly list: readonly string[];
  readonly position: number;
  /** What a passive coordinator said about the primary; tried first, once. */
  readonly told: string | null;
}

export function addressesOf(list: readonly string[]): Addresses {
  return { list, position: 0, told: null };
}

/** Null where none is known yet. */
export function currentAddress(addresses: Addresses): string | null {
  return addresses.told ?? addresses.list[addresses.position] ?? null;
}

/** After a failure: the primary where the answer named one, else the next of the list. What was told and did not hold is forgotten. */
export function onUnreached(addresses: Addresses, primary: string | null): Addresses {
  if (primary !== null && primary !== currentAddress(addresses)) return { ...addresses, told: primary };
  return { ...addresses, position: (addresses.position + 1) % Math.max(1, addresses.list.length), told: null };
}
