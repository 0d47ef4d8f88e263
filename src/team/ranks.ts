import type { TeamRank } from "../account/team-membership.ts";

/** Ranks of a team, highest first. */
export const teamRanksHighestFirst = [
  "owner",
  "admin",
  "editor",
  "member",
] as const satisfies TeamRank[];

/** Who may add items to a team's pool: every member, or editors and above. */
export const itemPoolContributorRoles = ["members", "editors"] as const;

export type TeamExtensionPoolContributorRole = (typeof itemPoolContributorRoles)[number];

const heights: Readonly<Record<TeamRank, number>> = { owner: 3, admin: 2, editor: 1, member: 0 };

/** Strictly: nobody is below itself. */
export function isTeamRankBelow(rank: TeamRank, other: TeamRank): boolean {
  return heights[rank] < heights[other];
}

export function isTeamRankAtLeast(rank: TeamRank, other: TeamRank): boolean {
  return heights[rank] >= heights[other];
}

/** Owners and admins: they change the team, invite, confirm and read the audit log. */
export function canManageTeam(rank: TeamRank): boolean {
  return isTeamRankAtLeast(rank, "admin");
}

/** Whether a caller may invite somebody with a role: managers, strictly below themselves. */
export function canInviteMember(caller: TeamRank, role: TeamRank): boolean {
  return canManageTeam(caller) && isTeamRankBelow(role, caller);
}

/** Whether a caller may give another member a role; target and role must both be below. */
export function canGrantRank(caller: TeamRank, target: TeamRank, role: TeamRank): boolean {
  return canManageTeam(caller) && isTeamRankBelow(target, caller) && isTeamRankBelow(role, caller);
}

/** Whether a caller may set the groups of another member. */
export function canSetMemberGroups(caller: TeamRank, target: TeamRank): boolean {
  return canManageTeam(caller) && isTeamRankBelow(target, caller);
}

/** Whether a caller may remove another member. That an owner stays is not asked here. */
export function canRemoveMember(caller: TeamRank, target: TeamRank): boolean {
  return caller === "owner" || (canManageTeam(caller) && isTeamRankBelow(target, caller));
}

/** Whether a member may put items of its own into the pool. */
export function canPoolExtensions(
  rank: TeamRank,
  policy: TeamExtensionPoolContributorRole,
): boolean {
  return policy === "members" || isTeamRankAtLeast(rank, "editor");
}

/** The rank that a team key acts with: its creator's, at most admin. */
export function capTeamKeyRank(creator: TeamRank): TeamRank {
  return creator === "owner" ? "admin" : creator;
}
