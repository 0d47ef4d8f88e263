import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { agentExtensionKinds } from "../pooled-items.ts";

/** Whether calls of an MCP server's tools wait for an approval. */
export const toolApprovalModes = ["never", "always"] as const;

export type ToolApprovalMode = (typeof toolApprovalModes)[number];

/**
 * A rule, skill or MCP server of a person: an item in REST. Which of the optional columns it has depends on its
 * kind. A deleted one keeps its row without its content, as a cursor.
 */
export const AgentExtensionEntity = defineEntity({
  name: "Item",
  tableName: "items",
  properties: {
    id: p.text().primary(),
    /** The person who owns it: teams own none. */
    accountId: p.text(),
    kind: p.enum(agentExtensionKinds),
    name: p.text().strictNullable(),
    /** Address of an MCP server, as it was sent. */
    url: p.text().strictNullable(),
    /** Sealed JSON object; null: none. */
    headers: p.text().strictNullable(),
    description: p.text().strictNullable(),
    text: p.text().strictNullable(),
    /** Patterns of the tools of an MCP server that may be used; empty: all. */
    tools: p.array(),
    /** Null: not said, which is never. */
    approval: p.enum(toolApprovalModes).strictNullable(),
    /** Raised when headers or text change, which the audit log does not repeat. */
    contentRevision: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: "items_account_id_index", properties: ["accountId", "createdAt", "id"] }],
});

export type AgentExtension = InferEntity<typeof AgentExtensionEntity>;
