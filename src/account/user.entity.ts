import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";

/**
 * A person. A user is also an account: its id is the `account_id` of what it
 * owns. A deleted user keeps its row, because audit events and cursors name it,
 * and loses its address and name.
 */
export const UserEntity = defineEntity({
  name: "User",
  tableName: "users",
  properties: {
    id: p.text().primary(),
    /** As typed, for display; empty once deleted. */
    email: p.text(),
    /** What addresses are compared by; unique among the users that are not deleted. */
    emailNormalised: p.text(),
    name: p.text().strictNullable(),
    createdAt: p.datetime(3),
    disabledAt: p.datetime(3).strictNullable(),
    deletedAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    {
      name: "users_email_normalised_unique",
      properties: ["emailNormalised"],
      where: "deleted_at is null",
    },
  ],
});

export type User = InferEntity<typeof UserEntity>;
