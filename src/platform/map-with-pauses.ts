import { setImmediate as nextTurn } from "node:timers/promises";

/** Bytes that are worked on in one go: some milliseconds. */
const bytesPerPause = 1024 * 1024;

/** Maps items of which each takes time by its bytes, and lets other work of the process run in between. */
export async function mapWithPauses<Item, Result>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  map: (item: Item) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  let bytes = 0;
  for (const item of items) {
    results.push(map(item));
    bytes += bytesOf(item);
    if (bytes < bytesPerPause) continue;
    bytes = 0;
    await nextTurn();
  }
  return results;
}
