import test, { type TestFn } from 'ava';
import { titlePrefixOf } from './lanes.ts';

/** ava's `test` that puts the file's name before each title, and so do the functions on it, as `test.serial`. */
export function prefixedTest(file: string): TestFn {
  return prefixed(test, titlePrefixOf(file));
}

function prefixed<F extends object>(declare: F, prefix: string): F {
  return new Proxy(declare, {
    apply: (target, self, [title, ...rest]: unknown[]) => Reflect.apply(target as never, self, [`${prefix}${String(title)}`, ...rest]),
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key);
      return typeof member === 'function' ? prefixed(member, prefix) : member;
    },
  });
}
