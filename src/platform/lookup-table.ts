/**
 * A table whose keys come from outside. An object would answer to the names
 * that it inherits as well: `constructor` is in every one of them.
 */
export function recordToMap<Row>(rows: Readonly<Record<string, Row>>): ReadonlyMap<string, Row> {
  return new Map(Object.entries(rows));
}
