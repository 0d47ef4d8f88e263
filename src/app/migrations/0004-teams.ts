import { Migration } from "@mikro-orm/migrations";
import { buildChangeFeedTriggerSql } from "../../platform/database/change-trigger.ts";

/** Teams, their members and their invites. */
export class CreateTeamTablesMigration extends Migration {
  override up(): void {
    for (const statement of statements) this.addSql(statement);
  }
}

const statements = [
  `create table "teams" (
    "id" text not null,
    "name" text not null,
    "share_defaults" jsonb not null,
    "share_policy" text not null,
    "require_manual_confirm" boolean not null,
    "member_count" int not null,
    "created_at" timestamptz(3) not null,
    "deleted_at" timestamptz(3) null,
    primary key ("id"),
    constraint "teams_share_policy_check" check ("share_policy" in ('members', 'editors'))
  )`,

  `create table "team_members" (
    "team_id" text not null,
    "user_id" text not null,
    "role" text not null,
    "groups" text[] not null,
    "confirmed" boolean not null,
    "joined_at" timestamptz(3) not null,
    "left_at" timestamptz(3) null,
    primary key ("team_id", "user_id"),
    constraint "team_members_role_check" check ("role" in ('owner', 'admin', 'editor', 'member')),
    constraint "team_members_team_id_foreign" foreign key ("team_id") references "teams" ("id"),
    constraint "team_members_user_id_foreign" foreign key ("user_id") references "users" ("id")
  )`,
  `create index "team_members_joined_index" on "team_members" ("team_id", "joined_at", "user_id")
    where left_at is null`,
  `create index "team_members_user_id_index" on "team_members" ("user_id", "team_id")`,
  // Team keys are cached with the membership of their creator. The team stands for the
  // member, so that a team that is deleted sends one notice and not one per member.
  buildChangeFeedTriggerSql({
    table: "team_members",
    accountColumn: "team_id",
    idColumn: "team_id",
    columns: ["role", "confirmed", "left_at"],
  }),

  `create table "team_invites" (
    "id" text not null,
    "team_id" text not null,
    "code_hash" text not null,
    "pepper_id" text not null,
    "code" text null,
    "email" text not null,
    "email_normalised" text not null,
    "role" text not null,
    "state" text not null,
    "mail_id" text not null,
    "created_at" timestamptz(3) not null,
    "expires_at" timestamptz(3) not null,
    "ended_at" timestamptz(3) null,
    primary key ("id"),
    constraint "team_invites_code_hash_unique" unique ("code_hash"),
    constraint "team_invites_role_check" check ("role" in ('owner', 'admin', 'editor', 'member')),
    constraint "team_invites_state_check" check ("state" in ('pending', 'accepted', 'revoked', 'replaced')),
    constraint "team_invites_team_id_foreign" foreign key ("team_id") references "teams" ("id")
  )`,
  `create unique index "team_invites_pending_unique" on "team_invites" ("team_id", "email_normalised")
    where state = 'pending'`,
  `create index "team_invites_sent_index" on "team_invites" ("team_id", "created_at", "id")
    where state = 'pending'`,
  `create index "team_invites_email_index" on "team_invites" ("email_normalised")
    where state = 'pending'`,
];
