import { create, type JsonObject } from "@bufbuild/protobuf";
import {
  CreateItemRequestSchema,
  ItemKind,
  ItemService,
  ListItemsRequestSchema,
  UpdateItemRequestSchema,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { invokeServerRpc } from "../invoke-method.ts";
import type { CliProfileContext } from "../cli-context.ts";
import { isProtobufJsonObject } from "../../contract/json/decode-json.ts";
import { fetchServerListPages } from "../list-pages.ts";
import { readStringMemberOrEmpty } from "../read-string-member.ts";
import type { ImportedAgentExtension } from "./item-draft.ts";
import { appendAll } from "../../platform/append-all.ts";

/** What became of a file. */
export interface AgentExtensionImportResult {
  readonly outcome: "created" | "updated" | "unchanged";
  readonly kind: string;
  readonly name: string;
  readonly id: string;
  readonly file: string;
}

const { createItem, listItems, updateItem } = ItemService.method;

/** All items of the caller's own, oldest first. */
export async function listPersonalExtensions(
  caller: CliProfileContext,
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = [];
  const pages = fetchServerListPages((after) =>
    invokeServerRpc(listItems, create(ListItemsRequestSchema, { limit: 100, ...after }), caller),
  );
  for await (const { data } of pages) {
    if (Array.isArray(data)) appendAll(items, data.filter(isProtobufJsonObject));
  }
  return items;
}

/** Changes the oldest of these items that has the draft's kind and name, or makes one. */
export async function upsertImportedExtension(
  draft: ImportedAgentExtension,
  items: readonly JsonObject[],
  caller: CliProfileContext,
): Promise<AgentExtensionImportResult> {
  const { kind, name, file } = draft;
  const before = items.find((item) => item["kind"] === kind && item["name"] === name);
  const outcome = before === undefined ? "created" : outcomeOf(draft, before);
  const stored = outcome === "unchanged" ? before : await write(draft, before, caller);
  return { outcome, kind, name, id: readStringMemberOrEmpty(stored, "id"), file };
}

function outcomeOf(
  { text, description }: ImportedAgentExtension,
  before: JsonObject,
): "updated" | "unchanged" {
  return before["text"] === text && before["description"] === description ? "unchanged" : "updated";
}

function write(
  { kind, name, description, text }: ImportedAgentExtension,
  before: JsonObject | undefined,
  caller: CliProfileContext,
): Promise<JsonObject> {
  const fields = { name, text, ...(description !== undefined && { description }) };
  if (before !== undefined) {
    const id = readStringMemberOrEmpty(before, "id");
    return invokeServerRpc(updateItem, create(UpdateItemRequestSchema, { id, ...fields }), caller);
  }
  const number = kind === "skills" ? ItemKind.SKILLS : ItemKind.RULES;
  return invokeServerRpc(
    createItem,
    create(CreateItemRequestSchema, { kind: number, ...fields }),
    caller,
  );
}
