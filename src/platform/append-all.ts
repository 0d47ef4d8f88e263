/** Appends items one by one: an argument for each, as `push(...items)` has it, overflows the stack beyond some 100,000. */
export function appendAll<Item>(list: Item[], items: Iterable<Item>): void {
  for (const item of items) list.push(item);
}
