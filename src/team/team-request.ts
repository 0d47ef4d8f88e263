import {
  TeamRoleSchema,
  UpdateTeamMemberRequestSchema,
  type TeamRole,
  type UpdateTeamMemberRequest,
} from "../../gen/ts/causeway/team/v1/member_pb.ts";
import type { ShareChoice as ShareChoiceMessage } from "../../gen/ts/causeway/team/v1/invite_pb.ts";
import {
  UpdateTeamRequestSchema,
  type UpdateTeamRequest,
} from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { SharePolicySchema } from "../../gen/ts/causeway/team/v1/team_types_pb.ts";
import { enumNumberToName } from "../contract/enum-name.ts";
import { parseDisplayName } from "../domain/check-name.ts";
import type { TeamRank } from "../account/team-membership.ts";
import { invalidRequestError } from "../platform/errors.ts";
import { readFieldMaskPaths } from "../platform/field-mask.ts";
import type { InviteAcceptanceShareChoice } from "./accept-invite.ts";
import type { TeamMemberPatch } from "./members.ts";
import type { TeamExtensionPoolContributorRole } from "./ranks.ts";
import type { ExtensionSharingDefaults } from "./team.entity.ts";
import type { TeamPatch } from "./teams.ts";

/** The fields of a team that a PATCH changes. Throws 400 for one that is named and has no value. */
export function parseTeamPatch(request: UpdateTeamRequest): TeamPatch {
  const fields = readFieldMaskPaths(UpdateTeamRequestSchema, request, ["team_id"]);
  const { name, sharePolicy, requireManualConfirm } = request;
  return {
    ...(fields.has("name") && { name: parseDisplayName(present(name, "name")) }),
    ...(fields.has("share_defaults") && { shareDefaults: shareDefaultsOf(request) }),
    ...(fields.has("share_policy") && {
      sharePolicy: present(
        enumNumberToName(SharePolicySchema, sharePolicy) as
          | TeamExtensionPoolContributorRole
          | undefined,
        "share_policy",
      ),
    }),
    ...(fields.has("require_manual_confirm") && {
      requireManualConfirm: present(requireManualConfirm, "require_manual_confirm"),
    }),
  };
}

/** The fields of a member that a PATCH changes. Throws 400 without `role`, unless `groups` is sent. */
export function parseTeamMemberPatch(request: UpdateTeamMemberRequest): TeamMemberPatch {
  const fields = readFieldMaskPaths(UpdateTeamMemberRequestSchema, request, ["team_id", "user_id"]);
  const { role, groups } = request;
  if (!fields.has("groups") || fields.has("role")) {
    const rank = present(enumNumberToName(TeamRoleSchema, role) as TeamRank | undefined, "role");
    return fields.has("groups") ? { role: rank, groups } : { role: rank };
  }
  return { groups };
}

/** The rank that an invite is for. Throws 400 for a role that the contract does not define. */
export function toInviteTeamRank(role: TeamRole | undefined): TeamRank {
  return role === undefined
    ? "member"
    : present(enumNumberToName(TeamRoleSchema, role) as TeamRank | undefined, "role");
}

/** What the one who accepts said; what was not said is left out. */
export function readInviteSharedExtensionKinds(
  share: ShareChoiceMessage | undefined,
): InviteAcceptanceShareChoice {
  const { mcp, rules, skills } = share ?? {};
  return {
    ...(mcp !== undefined && { mcp }),
    ...(rules !== undefined && { rules }),
    ...(skills !== undefined && { skills }),
  };
}

function shareDefaultsOf({ shareDefaults }: UpdateTeamRequest): ExtensionSharingDefaults {
  const { mcp, rules, skills } = present(shareDefaults, "share_defaults");
  return { mcp, rules, skills };
}

function present<Value>(value: Value | undefined, field: string): Value {
  if (value !== undefined) return value;
  throw invalidRequestError(field, `\`${field}\` must have a value.`);
}
