/** Where the coordinators are, and which one is tried next. The list is empty until a parent has told it. */
export interface Addresses {
  readonly list: readonly string[];
  readonly position: number;
  /** What a passive coordinator said about the primary; tried first, once. */
  readonly told: string | null;
  /** It has not answered since the list was begun: passive coordinators name a primary that hangs until its lease has run out. */
  readonly failed: string | null;
}

export function addressesOf(list: readonly string[]): Addresses {
  return { list, position: 0, told: null, failed: null };
}

/** Null where none is known yet. */
export function currentAddress(addresses: Addresses): string | null {
  return addresses.told ?? addresses.list[addresses.position] ?? null;
}

/**
 * After a failure: the primary where the answer named one that may answer, else the next of the list. What was told and did not hold is
 * forgotten.
 */
export function onUnreached(addresses: Addresses, primary: string | null): Addresses {
  const current = currentAddress(addresses);
  if (primary !== null && primary !== current && primary !== addresses.failed) return { ...addresses, told: primary };
  const { list, position } = addresses;
  const next = list.findIndex((address, index) => index > position && address !== current);
  if (next !== -1) return { ...addresses, position: next, told: null, failed: primary === null ? current : addresses.failed };
  // The list begins again.
  const first = list.findIndex((address) => address !== current);
  return { list, position: Math.max(0, first), told: null, failed: null };
}
