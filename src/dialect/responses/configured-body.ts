import type { StoredItems } from "../codec.ts";
import { asElements, asObject, type JsonObject } from "../json.ts";

/**
 * The body as the `configuration_update` items of its conversation leave it: each
 * holds until a later one says otherwise, also against the fields of the request.
 */
export function applyConfigurationUpdates(
  body: JsonObject,
  kept: StoredItems | undefined,
): JsonObject {
  const items = [...(kept?.previous ?? []), ...asElements(body["input"]).map(asObject)];
  return items
    .filter((item) => item?.["type"] === "configuration_update")
    .reduce<JsonObject>((changed, update) => ({ ...changed, ...settings(changed, update) }), body);
}

function settings(body: JsonObject, update: JsonObject | undefined): JsonObject {
  const changed = ["reasoning", "text"].filter((name) => asObject(update?.[name]) !== undefined);
  return Object.fromEntries(
    changed.map((name) => [name, { ...asObject(body[name]), ...asObject(update?.[name]) }]),
  );
}
