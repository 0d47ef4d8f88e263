import {
  ItemKindSchema,
  ToolApprovalSchema,
  UpdateItemRequestSchema,
  type CreateItemRequest,
  type UpdateItemRequest,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { enumNumberToName } from "../../contract/enum-name.ts";
import { invalidRequestError } from "../../platform/errors.ts";
import { readFieldMaskPaths } from "../../platform/field-mask.ts";
import type {
  AgentExtensionField,
  AgentExtensionFields,
  NewAgentExtension,
} from "./item-fields.ts";
import type { AgentExtensionKind } from "../pooled-items.ts";

/** The item that a request describes. */
export function parseNewAgentExtension(request: CreateItemRequest): NewAgentExtension {
  const kind = enumNumberToName(ItemKindSchema, request.kind) as AgentExtensionKind | undefined;
  if (kind === undefined) throw invalidRequestError("kind", "`kind` must be mcp, rules or skills.");
  return { kind, fields: setFields(request) };
}

/** The changes that a request asks for. Throws 400 for a field that is named and has no value. */
export function parseAgentExtensionPatch(request: UpdateItemRequest): AgentExtensionFields {
  const changed = readFieldMaskPaths(UpdateItemRequestSchema, request, ["id"]);
  const { headers, tools } = request;
  const values = Object.entries({ ...setFields(request), headers, tools });
  const changes = Object.fromEntries(values.filter(([field]) => changed.has(field)));
  const empty = [...changed].find((field) => changes[field] === undefined);
  if (empty === undefined) return changes;
  throw invalidRequestError(empty, `\`${empty}\` must have a value.`);
}

/** The fields that are set. An empty map of headers, or list of tools, cannot be told from an absent one. */
function setFields(request: CreateItemRequest | UpdateItemRequest): AgentExtensionFields {
  const { name, url, headers, description, text, tools, approval } = request;
  const all: Record<AgentExtensionField, unknown> = {
    name,
    url,
    headers: Object.keys(headers).length > 0 ? headers : undefined,
    description,
    text,
    tools: tools.length > 0 ? tools : undefined,
    approval: enumNumberToName(ToolApprovalSchema, approval),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}
