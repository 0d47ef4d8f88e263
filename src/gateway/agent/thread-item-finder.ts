import type { JsonObject } from "../../dialect/json.ts";

/** The thread of a call, as far as its items can be read. */
type FoundThread =
  | { readonly running: unknown }
  | { readonly conversation: { readonly items: readonly JsonObject[] } };

/**
 * Returns a lookup of items of the thread by id. An item of a running turn may not be written
 * yet: whoever waits for the turn looks again.
 */
export function createThreadItemFinder(place: FoundThread): (id: string) => JsonObject | undefined {
  if ("running" in place) return () => ({ type: "message", role: "assistant", content: "" });
  let byId: ReadonlyMap<unknown, JsonObject> | undefined;
  return (id) => (byId ??= indexItemsById(place.conversation.items)).get(id);
}

/** The first of the items that share an id counts. */
function indexItemsById(items: readonly JsonObject[]): ReadonlyMap<unknown, JsonObject> {
  const byId = new Map<unknown, JsonObject>();
  for (const item of items) if (!byId.has(item["id"])) byId.set(item["id"], item);
  return byId;
}
