/** Whether two JSON values say the same, whatever the order of their members. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  return canonical(left) === canonical(right);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (typeof inner !== "object" || inner === null || Array.isArray(inner)) return inner;
    const entries = Object.entries(inner);
    return Object.fromEntries(entries.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  });
}
