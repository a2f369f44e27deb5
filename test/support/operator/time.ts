import { NOW } from './run-world.ts';

/** RFC 3339, so many seconds after the present of the tests' run. */
export function time(seconds: number): string {
  return `${new Date(NOW + seconds * 1_000).toISOString().slice(0, 19)}Z`;
}
