import { later, tested, type Requirement } from "./requirement.ts";

/** The parts of the gateway seed on teams. */
export const gatewaySeedTeams: readonly Requirement[] = [
  ...tested("gateway seed, Team", [
    [
      "team.roles",
      "TeamRole is owner, admin, editor or member.",
      "contract/proto > %s is spelled as the texts do",
    ],
  ]),
  ...tested("gateway seed, What the service does", [
    [
      "team.pool",
      "Members pool items of the kinds mcp, rules and skills.",
      "team/item/pools > puts an item at the end of the pool, shows it",
      "team/item/member-items > pools its present items of the kinds that it shares",
    ],
  ]),
  ...later("teams", "gateway seed, What the service does", [
    ["team.members", "A team has members with roles and pending invites."],
  ]),
  ...later("teams", "gateway seed, Team", [
    ["team.id", "id is always there."],
    ["team.object", "object is `team`."],
    ["team.name", "name is always there."],
    ["team.role", "role is the caller's own in this team."],
    ["team.member-count", "member_count is an integer."],
    ["team.created-at", "created_at is always there."],
    ["team.share-defaults", "share_defaults has three required booleans: mcp, rules, skills."],
    ["team.share-policy", "share_policy says who may pool: members or editors."],
    [
      "team.manual-confirm",
      "require_manual_confirm: an admin confirms new members before they get secrets.",
    ],
    ["team.deleted-shape", "DeletedTeam has id, object `team` and deleted true."],
    ["team.member-shape", "TeamMember has user_id, role, groups and joined_at."],
    ["team.removed-shape", "RemovedTeamMember has user_id and deleted true."],
    ["team.invite-shape", "TeamInvite has code, email, role and created_at, and maybe expires_at."],
    ["team.revoked-shape", "RevokedTeamInvite has code and revoked true."],
  ]),
  ...later("teams", "gateway seed, Invite lifecycle", [
    ["invite.create", "An admin or owner invites for a role below the own; the invite is mailed."],
    ["invite.replace", "A pending invite to the same address is replaced."],
    ["invite.expire", "After 7 days an invite is expired and no longer listed."],
    ["invite.revoke", "Revoking stops the link at once."],
    [
      "invite.resend",
      "Resending gives a fresh code, stops the old one and mails again; 409 in other states.",
    ],
    ["invite.accept", "Accepting needs the invited address and answers with the Team."],
  ]),
  ...later("teams", "gateway seed, Membership", [
    ["member.create", "Who creates a team is its one owner."],
    ["member.join", "Accepting makes a member with the invited role."],
    [
      "member.role",
      "A role is granted only below the own, to a member below the own; ownership never moves.",
    ],
    [
      "member.remove",
      "Admins remove members below them, owners anyone but the last owner (409 last_owner).",
    ],
    ["member.team-deleted", "Deleting a team ends every membership and cannot be undone."],
  ]),
  ...later("teams", "gateway seed, Teams", [
    [
      "teams.list",
      "listTeams gives the teams of the caller, oldest first; a team key sees its own only.",
    ],
    ["teams.create", "createTeam needs a name."],
    ["teams.get", "getTeam shows the caller's own role."],
    ["teams.patch-rank", "updateTeam is for admins and owners."],
    [
      "teams.patch-fields",
      "updateTeam changes name, share_defaults, share_policy, require_manual_confirm as sent.",
    ],
    ["teams.delete", "deleteTeam is for owners."],
    ["teams.members", "listTeamMembers pages by user id in join order."],
    ["teams.member-patch", "updateTeamMember needs a role."],
    ["teams.member-remove", "removeTeamMember answers 409 for the last owner."],
    ["teams.invites", "listTeamInvites shows open invites in sending order to admins and owners."],
    ["teams.invite", "createTeamInvite takes email and role, `member` by default."],
    ["teams.invite-revoke", "revokeTeamInvite answers RevokedTeamInvite."],
    ["teams.invite-resend", "resendTeamInvite takes no body."],
    ["teams.accept-body", "acceptTeamInvite may take share with three optional booleans."],
    ["teams.accept-mcp", "MCP servers stay unshared unless share.mcp is set."],
    ["teams.accept-errors", "acceptTeamInvite can be 401, 403, 404 and 409."],
  ]),
];
