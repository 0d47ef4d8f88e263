/**
 * Returns the keys of the entries of a lock file by the references that others have for them. A key
 * is the position of its entry: a file may have a name and version several times, from several
 * sources, and each of them is installed somewhere.
 */
export function indexLockEntriesByReference(
  references: Iterable<readonly string[]>,
): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  let at = 0;
  for (const ofEntry of references) {
    for (const reference of ofEntry) {
      const known = keys.get(reference);
      if (known === undefined) keys.set(reference, [at.toString()]);
      else known.push(at.toString());
    }
    at += 1;
  }
  return keys;
}
