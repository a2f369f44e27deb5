/** Freezes an object with all that it has, so that whoever changes what belongs to the cache fails at that place. For tests: it takes time. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
