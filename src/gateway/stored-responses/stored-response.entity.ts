import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** An answer to a responses caller, kept because its upstream keeps no state, or none under the operator's key. */
export const StoredResponseEntity = defineEntity({
  name: "StoredResponse",
  tableName: "kept_responses",
  properties: {
    /** `resp_…`, as the caller knows it. */
    id: p.text().primary(),
    accountId: p.text(),
    /** The response that it goes on from; null: it begins a conversation. */
    previousId: p.text().strictNullable(),
    /** Ids of its items, input and output, for `item_reference`. */
    itemIds: p.array(),
    /** Sealed JSON of `StoredResponseContent`. */
    content: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
  },
  indexes: [
    { name: "kept_responses_account_id_index", properties: ["accountId"] },
    { name: "kept_responses_item_ids_index", properties: ["itemIds"], type: "gin" },
    { name: "kept_responses_expires_at_index", properties: ["expiresAt"] },
  ],
});

export type StoredResponse = InferEntity<typeof StoredResponseEntity>;
