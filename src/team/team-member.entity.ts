import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { UserEntity } from "../account/user.entity.ts";
import { teamRanksHighestFirst } from "./ranks.ts";
import { TeamEntity } from "./team.entity.ts";

/**
 * A person's membership of a team. One that is over keeps its row, as a cursor;
 * who joins again gets the same row with a new `joinedAt`.
 */
export const TeamMemberEntity = defineEntity({
  name: "TeamMember",
  tableName: "team_members",
  properties: {
    team: () => p.manyToOne(TeamEntity).primary().deleteRule("no action").updateRule("no action"),
    user: () => p.manyToOne(UserEntity).primary().deleteRule("no action").updateRule("no action"),
    role: p.enum(teamRanksHighestFirst),
    /** Free labels. */
    groups: p.array(),
    /** False: gets no secret of the team until an admin says so. */
    confirmed: p.boolean(),
    joinedAt: p.datetime(3),
    /** Null: a member now. */
    leftAt: p.datetime(3).strictNullable(),
  },
  indexes: [
    {
      name: "team_members_joined_index",
      properties: ["team", "joinedAt", "user"],
      where: "left_at is null",
    },
    { name: "team_members_user_id_index", properties: ["user", "team"] },
  ],
});

export type TeamMember = InferEntity<typeof TeamMemberEntity>;
