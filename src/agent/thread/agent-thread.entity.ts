import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** A conversation with an agent. A deleted one keeps its row without its content, as a cursor. */
export const AgentThreadEntity = defineEntity({
  name: "AgentThread",
  tableName: "agent_threads",
  properties: {
    /** `thread_…`. */
    id: p.text().primary(),
    accountId: p.text(),
    /** What its callers call it. */
    session: p.text(),
    /** Sealed JSON: items that stand before its first turn; null: none. */
    history: p.text().strictNullable(),
    createdAt: p.datetime(3),
    /** When its last turn was asked for. */
    updatedAt: p.datetime(3),
    /** Raised by each turn. */
    expiresAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    { name: "agent_threads_account_id_session_unique", properties: ["accountId", "session"] },
  ],
  indexes: [
    { name: "agent_threads_account_id_index", properties: ["accountId", "createdAt", "id"] },
    { name: "agent_threads_expires_at_index", properties: ["expiresAt"] },
  ],
});

export type AgentThread = InferEntity<typeof AgentThreadEntity>;
