/** Thrown where the program itself is wrong; never caught to go on. */
export class AssertionFailed extends Error {
  override readonly name = 'AssertionFailed';
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new AssertionFailed(message);
}

/** Closes a switch: does not compile while a case is missing. */
export function assertNever(value: never): never {
  throw new AssertionFailed(`unexpected value ${JSON.stringify(value)}`);
}

/** The value, which is known to be there. */
export function mustGet<T>(value: T | undefined | null, what: string): T {
  assert(value !== undefined && value !== null, `missing: ${what}`);
  return value;
}
