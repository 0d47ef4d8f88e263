import { aliasAffinities, aliasStrategies, type AliasTarget } from "../domain/alias-target.ts";
import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/** Who keeps the secrets that belong to an alias; the server keeps the word for the devices. */
export const aliasSecretCustodies = ["envelope", "device-held"] as const;

export type AliasSecretCustody = (typeof aliasSecretCustodies)[number];

/** A personal alias. A deleted one keeps its row, so that devices hear of the deletion. */
export const AliasEntity = defineEntity({
  name: "Alias",
  tableName: "aliases",
  properties: {
    accountId: p.text().primary(),
    token: p.text().primary(),
    /** Vendor id or `custom/<slug>`. */
    vendor: p.text(),
    /** Null: the vendor's first model. */
    modelId: p.text().strictNullable(),
    label: p.text().strictNullable(),
    /** All of several targets; null: there is one, `vendor` and `modelId`. */
    targets: p.json<readonly AliasTarget[]>().strictNullable(),
    strategy: p.enum(aliasStrategies).strictNullable(),
    affinity: p.enum(aliasAffinities).strictNullable(),
    custody: p.enum(aliasSecretCustodies),
    /** Of the account's counter when it was written last, a deletion included. */
    rev: p.integer(),
    updatedAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
  indexes: [{ name: "aliases_account_id_rev_index", properties: ["accountId", "rev"] }],
});

export type Alias = InferEntity<typeof AliasEntity>;

/** One counter per account, raised by every write of an alias. */
export const AliasRevisionCounterEntity = defineEntity({
  name: "AliasRevision",
  tableName: "alias_revisions",
  properties: {
    accountId: p.text().primary(),
    rev: p.integer(),
  },
});
