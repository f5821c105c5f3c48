/** The number of letters that have to be changed, added or removed (Levenshtein distance). */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      current[j] = Math.min(change, (previous[j] ?? 0) + 1, (current[j - 1] ?? 0) + 1);
    }
    previous = current;
  }
  return previous[b.length] ?? 0;
}

/**
 * The known name that was probably meant; undefined when none is near: at most two in five letters,
 * and four in all, may be wrong.
 */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [nearest] = known.toSorted((a, b) => editDistance(name, a) - editDistance(name, b));
  if (nearest === undefined) return undefined;
  const most = Math.min(4, Math.ceil(nearest.length * 0.4));
  return editDistance(name, nearest) <= most ? nearest : undefined;
}
