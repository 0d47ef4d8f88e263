import type { EntityManager } from "@mikro-orm/postgresql";
import type { AuditActor } from "../domain/audit/audit.ts";

/** Rank of a member of a team, highest first: owner, admin, editor, member. */
export type TeamRank = "owner" | "admin" | "editor" | "member";

/**
 * What accounts must know of teams. Teams are another domain, so it is asked
 * through this port.
 */
export interface TeamMembershipLookup {
  /** The rank a user holds in a team now; undefined: not a member, or no such team. */
  rankOf(em: EntityManager, teamId: string, userId: string): Promise<TeamRank | undefined>;
  /** The same, with the team locked until the transaction of `em` ends: nobody leaves meanwhile. */
  lockedRankOf(em: EntityManager, teamId: string, userId: string): Promise<TeamRank | undefined>;
  /** Teams whose keys a user may list and revoke: those where the user is owner or admin. */
  teamsManagedBy(em: EntityManager, userId: string): Promise<readonly string[]>;
  /**
   * Throws 409 `last_owner` when a team would be left without a live owner.
   * Locks what it looks at until the transaction of `em` ends.
   */
  assertNotLastOwner(em: EntityManager, userId: string): Promise<void>;
  /** Ends every membership of a user who is being deleted. */
  leaveAll(em: EntityManager, actor: AuditActor, userId: string): Promise<void>;
  /** Whether a team waits for somebody with this normalised address. */
  hasPendingInvite(em: EntityManager, emailNormalised: string): Promise<boolean>;
}

/** An installation without teams: nobody is a member of anything. */
export const emptyTeamMembershipLookup: TeamMembershipLookup = {
  rankOf: () => Promise.resolve(undefined),
  lockedRankOf: () => Promise.resolve(undefined),
  teamsManagedBy: () => Promise.resolve([]),
  assertNotLastOwner: () => Promise.resolve(),
  leaveAll: () => Promise.resolve(),
  hasPendingInvite: () => Promise.resolve(false),
};
