import { Client } from "pg";
import type { TeamRank } from "../../src/account/team-membership.ts";
import { newResourceId } from "../../src/platform/ids.ts";

/** A member of a team that a test needs ready-made. */
export interface SeatRow {
  readonly userId: string;
  readonly role: TeamRank;
  /** True if omitted. */
  readonly confirmed?: boolean;
  /** If omitted, after those who are named before. */
  readonly joinedAt?: Date;
}

/**
 * Writes a team with its members into the tables, in states that would take many
 * calls to reach. Members joined in the order they are named.
 */
export async function insertTeam(
  connectionString: string,
  seats: readonly SeatRow[],
  sharePolicy: "members" | "editors" = "members",
): Promise<string> {
  const id = newResourceId("team");
  const client = new Client({ connectionString });
  await client.connect();
  try {
    await client.query(
      `insert into teams (id, name, share_defaults, share_policy, require_manual_confirm, member_count, created_at)
       values ($1, 'Team', '{"mcp": false, "rules": true, "skills": true}', $2, true, $3, now())`,
      [id, sharePolicy, seats.length],
    );
    for (const [index, { userId, role, confirmed = true, joinedAt }] of seats.entries()) {
      await client.query(
        `insert into team_members (team_id, user_id, role, groups, confirmed, joined_at)
         values ($1, $2, $3, '{}', $4, $5)`,
        [id, userId, role, confirmed, joinedAt ?? new Date(Date.UTC(2026, 0, 1, 0, 0, index))],
      );
    }
  } finally {
    await client.end();
  }
  return id;
}
