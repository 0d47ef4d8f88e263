import type { JsonObject } from "../../dialect/json.ts";
import type { BusyThread, ThreadResumePoint } from "./locate-thread.ts";

/**
 * Returns a function that finds an item of the thread by its id. A turn that runs may still add
 * the item: a call that waits for the turn looks again. The items are indexed once, because a call
 * may have thousands of references.
 */
export function createThreadItemFinder(
  place: Pick<ThreadResumePoint, "conversation"> | BusyThread,
): (id: string) => JsonObject | undefined {
  if ("running" in place) return () => ({ type: "message", role: "assistant", content: "" });
  const { items } = place.conversation;
  let byId: ReadonlyMap<unknown, JsonObject> | undefined;
  return (id) => {
    byId ??= indexFirst(items);
    return byId.get(id);
  };
}

/** Several items may have the same id: the first one counts. */
function indexFirst(items: readonly JsonObject[]): ReadonlyMap<unknown, JsonObject> {
  const byId = new Map<unknown, JsonObject>();
  for (const item of items) if (!byId.has(item["id"])) byId.set(item["id"], item);
  return byId;
}
