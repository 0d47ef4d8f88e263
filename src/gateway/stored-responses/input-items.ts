import { asString, type JsonObject } from "../../dialect/json.ts";
import { invalidRequestError } from "../../platform/errors.ts";

/** What the dialect gives of a page unless it is told otherwise. */
const defaultLimit = 20;
const maxLimit = 100;

/**
 * A page of the items that a kept response was asked with, as the dialect's
 * `input_items` lists them: `limit`, `after` and `order`, newest first. Throws 400 for
 * a value that it does not take.
 */
export function buildInputItemsPage(
  id: string,
  input: readonly JsonObject[],
  query: URLSearchParams,
): JsonObject {
  const ids = new Set<string>();
  const items = input.map((item, index) => listedItem(id, item, index, ids));
  const ordered = isAscending(query) ? items : items.toReversed();
  const start = startOf(query, ordered);
  const end = start + limitOf(query);
  const data = ordered.slice(start, end);
  return {
    object: "list",
    data,
    first_id: data[0]?.["id"] ?? null,
    last_id: data.at(-1)?.["id"] ?? null,
    has_more: end < ordered.length,
  };
}

/**
 * Items are kept as they were sent; the list gives each an id of its own, which pages begin
 * behind, and messages their parts. `ids`: those that it has given.
 */
function listedItem(id: string, item: JsonObject, index: number, ids: Set<string>): JsonObject {
  const { type = "message", role, content } = item;
  const isMessage = type === "message";
  const made = `${isMessage ? "msg" : "item"}_${id.replace(/^resp_/, "")}_${index}`;
  let ownId = asString(item["id"]) ?? made;
  if (ids.has(ownId)) ownId = made;
  while (ids.has(ownId)) ownId += "_";
  ids.add(ownId);
  const named = { ...item, id: ownId };
  if (!isMessage) return named;
  return { status: "completed", ...named, type, content: partsOf(role, content) };
}

function partsOf(role: unknown, content: unknown): unknown {
  if (typeof content !== "string") return content;
  return role === "assistant"
    ? [{ type: "output_text", text: content, annotations: [] }]
    : [{ type: "input_text", text: content }];
}

function isAscending(query: URLSearchParams): boolean {
  const order = query.get("order") ?? "desc";
  if (order === "asc" || order === "desc") return order === "asc";
  throw invalidRequestError("order", "`order` must be `asc` or `desc`.");
}

function startOf(query: URLSearchParams, items: readonly JsonObject[]): number {
  const after = query.get("after");
  if (after === null) return 0;
  const index = items.findIndex((item) => item["id"] === after);
  if (index !== -1) return index + 1;
  throw invalidRequestError("after", "`after` names no item of this response.");
}

function limitOf(query: URLSearchParams): number {
  const text = query.get("limit") ?? String(defaultLimit);
  const limit = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= maxLimit) return limit;
  throw invalidRequestError("limit", `\`limit\` must be a whole number from 1 to ${maxLimit}.`);
}
