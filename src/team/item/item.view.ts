import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  ItemKindSchema,
  ItemSchema,
  ToolApprovalSchema,
  type Item as ItemMessage,
} from "../../../gen/ts/causeway/item/v1/item_pb.ts";
import { enumNameToNumber } from "../../contract/enum-name.ts";
import { redactAllHeaderValues } from "../../platform/endpoint/header-rules.ts";
import type { AgentExtensionHeaderSealer } from "./item-secrets.ts";
import type { AgentExtension } from "./item.entity.ts";

/** An item as anybody may see it: which headers it has, never their values. */
export function viewAgentExtension(
  row: AgentExtension,
  secrets: AgentExtensionHeaderSealer,
): ItemMessage {
  return create(ItemSchema, {
    ...fieldsOf(row),
    headers: { ...redactAllHeaderValues(secrets.open(row)) },
  });
}

/** A pooled item as a member sees it who waits for confirmation: without headers. */
export function viewExtensionWithoutHeaders(row: AgentExtension): ItemMessage {
  return create(ItemSchema, fieldsOf(row));
}

function fieldsOf(row: AgentExtension): MessageInitShape<typeof ItemSchema> {
  return {
    id: row.id,
    object: "item",
    kind: enumNameToNumber(ItemKindSchema, row.kind),
    name: row.name ?? undefined,
    url: row.url ?? undefined,
    description: row.description ?? undefined,
    text: row.text ?? undefined,
    tools: row.tools,
    approval:
      row.approval === null ? undefined : enumNameToNumber(ToolApprovalSchema, row.approval),
    userId: row.accountId,
    createdAt: timestampFromDate(row.createdAt),
    updatedAt: timestampFromDate(row.updatedAt),
  };
}
