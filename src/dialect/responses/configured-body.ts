import type { StoredConversationItems } from "../codec.ts";
import { asArrayOrEmpty, asObject, type JsonObject } from "../json.ts";

/**
 * The body as the `configuration_update` items of its conversation leave it: each
 * holds until a later one says otherwise, also against the fields of the request.
 * An update costs its own members only: a conversation may have thousands of them.
 */
export function applyConfigurationUpdateItems(
  body: JsonObject,
  kept: StoredConversationItems | undefined,
): JsonObject {
  const items = [...(kept?.previous ?? []), ...asArrayOrEmpty(body["input"]).map(asObject)];
  const updates = items.filter((item) => item?.["type"] === "configuration_update");
  const changed = new Map<string, JsonObject>();
  for (const name of ["reasoning", "text"]) {
    const settings = updates.map((update) => asObject(update?.[name]));
    if (settings.some((one) => one !== undefined))
      changed.set(name, merge([asObject(body[name]), ...settings]));
  }
  return { ...body, ...Object.fromEntries(changed) };
}

/** All members; the last value of a name counts. */
function merge(settings: readonly (JsonObject | undefined)[]): JsonObject {
  const members = new Map<string, unknown>();
  for (const one of settings) {
    for (const [name, value] of Object.entries(one ?? {})) members.set(name, value);
  }
  return Object.fromEntries(members);
}
