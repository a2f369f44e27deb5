/** Why a path that somebody gives for the output cannot be one; null where it can. Pure. */
export function outputNameProblem(name: string): string | null {
  if (name === '') return 'is empty: give the path of a file';
  if (name === '-')
    return 'is no place for results: they go to two files, which appear whole at the end; give the path of a file, and read that when the run has ended (a file of this name is ./-)';
  return /[/\\]$/.test(name) ? `is the name of a directory (${name}): give the path of a file` : null;
}
