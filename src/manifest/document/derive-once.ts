/** Returns a function that derives a value like `derive`, once for each object while it lives. */
export function memoizeByObject<Source extends object, Value>(
  derive: (source: Source) => Value,
): (source: Source) => Value {
  const derived = new WeakMap<Source, { readonly value: Value }>();
  return (source) => {
    const known = derived.get(source);
    if (known !== undefined) return known.value;
    const value = derive(source);
    derived.set(source, { value });
    return value;
  };
}
