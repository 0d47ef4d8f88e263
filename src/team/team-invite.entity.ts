import { defineEntity, p, type InferEntity } from "@mikro-orm/postgresql";
import { teamRanksHighestFirst } from "./ranks.ts";
import { TeamEntity } from "./team.entity.ts";

/** What became of an invite. One that ran out of time stays `pending`: `expiresAt` tells. */
export const inviteStates = ["pending", "accepted", "revoked", "replaced"] as const;

export type InviteState = (typeof inviteStates)[number];

/**
 * An invite under one code; a resend ends it and makes another. The code is
 * stored as a keyed hash for look-up and sealed for the list, the sealed copy
 * only while the invite is pending.
 */
export const TeamInviteEntity = defineEntity({
  name: "TeamInvite",
  tableName: "team_invites",
  properties: {
    id: p.text().primary(),
    team: () => p.manyToOne(TeamEntity),
    codeHash: p.text(),
    pepperId: p.text(),
    /** Sealed; null once the invite has ended. */
    code: p.text().strictNullable(),
    /** As typed, for display. */
    email: p.text(),
    /** What addresses are compared by. */
    emailNormalised: p.text(),
    role: p.enum(teamRanksHighestFirst),
    state: p.enum(inviteStates),
    /** Person who sent it, for a team key its maker; null: sent before this was kept. */
    sentBy: p.text().strictNullable(),
    /** Message that carries the code. */
    mailId: p.text(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    /** When it was accepted, revoked or replaced. */
    endedAt: p.datetime(3).strictNullable(),
  },
  uniques: [
    { name: "team_invites_code_hash_unique", properties: ["codeHash"] },
    {
      name: "team_invites_pending_unique",
      properties: ["team", "emailNormalised"],
      where: "state = 'pending'",
    },
  ],
  indexes: [
    { name: "team_invites_sent_by_index", properties: ["sentBy", "createdAt"] },
    { name: "team_invites_team_index", properties: ["team", "createdAt"] },
    {
      name: "team_invites_sent_index",
      properties: ["team", "createdAt", "id"],
      where: "state = 'pending'",
    },
    {
      name: "team_invites_email_index",
      properties: ["emailNormalised"],
      where: "state = 'pending'",
    },
  ],
});

export type TeamInvite = InferEntity<typeof TeamInviteEntity>;
