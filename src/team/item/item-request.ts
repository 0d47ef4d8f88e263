import {
  ItemKind as KindMessage,
  UpdateItemRequestSchema,
  type CreateItemRequest,
  type UpdateItemRequest,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { invalidRequest } from "../../platform/errors.ts";
import { changedFields } from "../../platform/field-mask.ts";
import type { ItemField, ItemFields, NewItem } from "./item-fields.ts";
import type { ItemKind } from "../pooled-items.ts";

const kindOf: ReadonlyMap<KindMessage, ItemKind> = new Map([
  [KindMessage.MCP, "mcp"],
  [KindMessage.RULES, "rules"],
  [KindMessage.SKILLS, "skills"],
]);

/** The item that a request describes. */
export function newItem(request: CreateItemRequest): NewItem {
  const kind = kindOf.get(request.kind);
  if (kind === undefined) throw invalidRequest("kind", "`kind` must be mcp, rules or skills.");
  return { kind, fields: setFields(request) };
}

/** The changes that a request asks for. Throws 400 for a field that is named and has no value. */
export function itemChanges(request: UpdateItemRequest): ItemFields {
  const changed = changedFields(UpdateItemRequestSchema, request, ["id"]);
  const values = Object.entries({ ...setFields(request), headers: request.headers });
  const changes = Object.fromEntries(values.filter(([field]) => changed.has(field)));
  const empty = [...changed].find((field) => changes[field] === undefined);
  if (empty === undefined) return changes;
  throw invalidRequest(empty, `\`${empty}\` must have a value.`);
}

/** The fields that are set. An empty map of headers cannot be told from an absent one. */
function setFields(request: CreateItemRequest | UpdateItemRequest): ItemFields {
  const { name, url, headers, description, text } = request;
  const all: Record<ItemField, unknown> = { name, url, headers, description, text };
  return Object.fromEntries(
    Object.entries(all).filter(([field, value]) =>
      field === "headers" ? Object.keys(headers).length > 0 : value !== undefined,
    ),
  );
}
