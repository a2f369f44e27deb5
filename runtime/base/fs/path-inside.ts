import { isAbsolute, relative, sep } from 'node:path';

/** The way from a directory to what lies below it, empty for the directory itself; null for what lies outside. */
export function wayInside(dir: string, path: string): string | null {
  const way = relative(dir, path);
  return way.split(sep)[0] === '..' || isAbsolute(way) ? null : way;
}
