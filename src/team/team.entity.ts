import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { itemPoolContributorRoles } from "./ranks.ts";

/** Which kinds of its items a new member pools by default. */
export interface ExtensionSharingDefaults {
  readonly mcp: boolean;
  readonly rules: boolean;
  readonly skills: boolean;
}

/**
 * A team. It is also an account: its id is the `account_id` of what it owns. A
 * deleted team keeps its row, because audit events and cursors name it.
 *
 * Whoever changes a team, its members or its invites locks this row first, so
 * that changes of one team happen one after the other.
 */
export const TeamEntity = defineEntity({
  name: "Team",
  tableName: "teams",
  properties: {
    id: p.text().primary(),
    name: p.text(),
    shareDefaults: p.json<ExtensionSharingDefaults>(),
    sharePolicy: p.enum(itemPoolContributorRoles),
    requireManualConfirm: p.boolean(),
    /** Live members; kept with every change of them, under the lock of the row. */
    memberCount: p.integer(),
    createdAt: p.datetime(3),
    deletedAt: p.datetime(3).strictNullable(),
  },
});

export type Team = InferEntity<typeof TeamEntity>;
