import { TeamRole } from "../../gen/ts/causeway/team/v1/member_pb.ts";
import { SharePolicy as SharePolicyNumber } from "../../gen/ts/causeway/team/v1/team_types_pb.ts";
import type { TeamRank } from "../account/team-membership.ts";
import { sharePolicies, teamRanks, type SharePolicy } from "./ranks.ts";

/** The numbers that the contract gives to what the database spells out. */
export const roleNumbers: Readonly<Record<TeamRank, TeamRole>> = {
  owner: TeamRole.OWNER,
  admin: TeamRole.ADMIN,
  editor: TeamRole.EDITOR,
  member: TeamRole.MEMBER,
};

export const sharePolicyNumbers: Readonly<Record<SharePolicy, SharePolicyNumber>> = {
  members: SharePolicyNumber.MEMBERS,
  editors: SharePolicyNumber.EDITORS,
};

/** Undefined for a number that the contract does not define. */
export function rankOfRole(role: TeamRole | undefined): TeamRank | undefined {
  return teamRanks.find((rank) => roleNumbers[rank] === role);
}

/** Undefined for a number that the contract does not define. */
export function sharePolicyOf(number: SharePolicyNumber | undefined): SharePolicy | undefined {
  return sharePolicies.find((policy) => sharePolicyNumbers[policy] === number);
}
