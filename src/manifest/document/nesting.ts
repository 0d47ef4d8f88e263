/** No tool nests deeper; recursive code, `JSON.stringify` for instance, ends its stack on more. */
const maxDepth = 1000;

/** Whether a parsed value has more than 1000 objects and lists in one another. */
export function isValueNestedTooDeeply(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((item): unknown[] =>
      typeof item === "object" && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}
