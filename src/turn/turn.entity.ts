import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

export const turnStatuses = [
  "queued",
  "in_progress",
  "completed",
  "incomplete",
  "failed",
  "cancelled",
] as const;

/** An answer that is made independently of the connection it was asked for over. */
export const DurableTurnEntity = defineEntity({
  name: "Turn",
  tableName: "turns",
  properties: {
    /** `turn_…`; for responses callers the id of the response. */
    id: p.text().primary(),
    accountId: p.text(),
    keyId: p.text(),
    status: p.enum(turnStatuses),
    /** Thread of an agent that it belongs to; null: none. */
    threadId: p.text().strictNullable(),
    /** Its place there, from 1. */
    position: p.integer().strictNullable(),
    /** Of what is sealed, for a later release. */
    format: p.smallint(),
    /** Sealed JSON of `StoredTurnContent`. */
    content: p.text(),
    /** Sealed JSON of the response object that it ended with; null: it runs. */
    response: p.text().strictNullable(),
    /** Number of the last event that was told. */
    lastSequence: p.integer(),
    /** When somebody asked for its end; null: nobody did. */
    cancelledAt: p.datetime(3).strictNullable(),
    createdAt: p.datetime(3),
    endedAt: p.datetime(3).strictNullable(),
    /** Null: it is kept as long as its thread. */
    expiresAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    { name: "turns_thread_id_position_unique", properties: ["threadId", "position"] },
    {
      name: "turns_thread_id_running_unique",
      properties: ["threadId"],
      where: `"ended_at" is null`,
    },
  ],
  indexes: [
    { name: "turns_account_id_index", properties: ["accountId"] },
    {
      name: "turns_running_index",
      properties: ["accountId", "keyId"],
      where: `"ended_at" is null`,
    },
    { name: "turns_expires_at_index", properties: ["expiresAt"] },
  ],
});

export type DurableTurn = InferEntity<typeof DurableTurnEntity>;

/** Characters of what is sealed of a turn. */
export function countSealedTurnCharacters({ content, response }: DurableTurn): number {
  return content.length + (response?.length ?? 0);
}
