import type { TeamRank } from "../account/team-membership.ts";

/** Ranks of a team, highest first. */
export const teamRanks = ["owner", "admin", "editor", "member"] as const satisfies TeamRank[];

/** Who may add items to a team's pool: every member, or editors and above. */
export const sharePolicies = ["members", "editors"] as const;

export type SharePolicy = (typeof sharePolicies)[number];

const heights: Readonly<Record<TeamRank, number>> = { owner: 3, admin: 2, editor: 1, member: 0 };

/** Strictly: nobody is below itself. */
export function ranksBelow(rank: TeamRank, other: TeamRank): boolean {
  return heights[rank] < heights[other];
}

export function ranksAtLeast(rank: TeamRank, other: TeamRank): boolean {
  return heights[rank] >= heights[other];
}

/** Owners and admins: they change the team, invite, confirm and read the audit log. */
export function canManage(rank: TeamRank): boolean {
  return ranksAtLeast(rank, "admin");
}

/** Whether a caller may invite somebody with a role: managers, strictly below themselves. */
export function canInvite(caller: TeamRank, role: TeamRank): boolean {
  return canManage(caller) && ranksBelow(role, caller);
}

/** Whether a caller may give another member a role; target and role must both be below. */
export function canGrant(caller: TeamRank, target: TeamRank, role: TeamRank): boolean {
  return canManage(caller) && ranksBelow(target, caller) && ranksBelow(role, caller);
}

/** Whether a caller may set the groups of another member. */
export function canSetGroups(caller: TeamRank, target: TeamRank): boolean {
  return canManage(caller) && ranksBelow(target, caller);
}

/** Whether a caller may remove another member. That an owner stays is not asked here. */
export function canRemove(caller: TeamRank, target: TeamRank): boolean {
  return caller === "owner" || (canManage(caller) && ranksBelow(target, caller));
}

/** Whether a member may put items of its own into the pool. */
export function canPool(rank: TeamRank, policy: SharePolicy): boolean {
  return policy === "members" || ranksAtLeast(rank, "editor");
}

/** The rank that a team key acts with: its creator's, at most admin. */
export function teamKeyRank(creator: TeamRank): TeamRank {
  return creator === "owner" ? "admin" : creator;
}
