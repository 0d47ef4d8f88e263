/** What two maps have under one key: both, or one of them. */
export type BeforeAfterPair<Value> =
  | { readonly key: string; readonly was: Value; readonly now: Value }
  | { readonly key: string; readonly was: Value; readonly now: undefined }
  | { readonly key: string; readonly was: undefined; readonly now: Value };

/** Pairs the values of two maps by key, in the order of the keys. */
export function pairMapEntriesByKey<Value extends object>(
  was: ReadonlyMap<string, Value>,
  now: ReadonlyMap<string, Value>,
): BeforeAfterPair<Value>[] {
  const keys = new Set([...was.keys(), ...now.keys()]);
  return [...keys]
    .toSorted()
    .map((key) => ({ key, was: was.get(key), now: now.get(key) }) as BeforeAfterPair<Value>);
}
