import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { AgentExtensionEntity } from "./item.entity.ts";

/**
 * An item in a team's pool. One that was taken out keeps its row as a cursor;
 * put in again it moves to the end.
 */
export const PooledAgentExtensionEntity = defineEntity({
  name: "PooledItem",
  tableName: "pooled_items",
  properties: {
    /** The team. */
    accountId: p.text().primary(),
    item: () =>
      p.manyToOne(AgentExtensionEntity).primary().deleteRule("no action").updateRule("no action"),
    /** Owner of the item, who takes it along when leaving. */
    ownerId: p.text(),
    pooledAt: p.datetime(3),
    removedAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    { name: "pooled_items_account_id_index", properties: ["accountId", "pooledAt", "item"] },
    { name: "pooled_items_item_id_index", properties: ["item"] },
  ],
});

export type PooledAgentExtension = InferEntity<typeof PooledAgentExtensionEntity>;
