import { setImmediate as nextTurn } from "node:timers/promises";

/** Items of one turn of the event loop: some milliseconds, if a version is parsed for each. */
const itemsPerTurn = 2000;

/** Maps the items of a long list and lets other work of the process run after each 2000 of them. */
export async function mapInBatches<Item, Result>(
  items: readonly Item[],
  map: (item: Item) => Result,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length; start += itemsPerTurn) {
    for (const item of items.slice(start, start + itemsPerTurn)) results.push(map(item));
    await nextTurn();
  }
  return results;
}
