/** The known word that `word` was most likely meant to be; null where none is near. */
export function nearest(word: string, known: readonly string[]): string | null {
  const farthest = Math.max(2, Math.floor(word.length / 3));
  const ranked = known.map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }));
  const best = ranked.reduce((a, b) => (b.distance < a.distance ? b : a), { candidate: '', distance: farthest + 1 });
  return best.distance <= farthest ? best.candidate : (known.find((candidate) => isBeginning(word, candidate)) ?? null);
}

/** Three letters: shorter beginnings say nothing. */
const MIN_BEGINNING = 3;

function isBeginning(word: string, candidate: string): boolean {
  return word.length >= MIN_BEGINNING && candidate.toLowerCase().startsWith(word.toLowerCase());
}

/** Levenshtein's distance: the fewest insertions, deletions and replacements that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
