import { tested, type Requirement } from "./requirement.ts";

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
  ...tested("gateway seed, What the service does", [
    [
      "team.members",
      "A team has members with roles and pending invites.",
      "team/teams > holds the caller's teams with its own role",
      "team/invites > has a code, the address and the role",
    ],
  ]),
  ...tested("gateway seed, Team", [
    ["team.id", "id is always there.", "team/teams > has every field, its maker as the one owner"],
    [
      "team.object",
      "object is `team`.",
      "team/teams > has every field, its maker as the one owner",
    ],
    [
      "team.name",
      "name is always there.",
      "team/teams > has every field, its maker as the one owner",
    ],
    [
      "team.role",
      "role is the caller's own in this team.",
      "team/teams > holds the caller's teams with its own role",
    ],
    [
      "team.member-count",
      "member_count is an integer.",
      "team/teams > holds the caller's teams with its own role",
      "team/races > many people join one team, and all are counted",
    ],
    [
      "team.created-at",
      "created_at is always there.",
      "team/teams > has every field, its maker as the one owner",
    ],
    [
      "team.share-defaults",
      "share_defaults has three required booleans: mcp, rules, skills.",
      "team/teams > has every field, its maker as the one owner",
      "team/teams > refuses a bad %s",
    ],
    [
      "team.share-policy",
      "share_policy says who may pool: members or editors.",
      "team/teams > changes only the fields that are sent",
      "team/invites > never against the share policy",
    ],
    [
      "team.manual-confirm",
      "require_manual_confirm: an admin confirms new members before they get secrets.",
      "team/members > is waited for under require_manual_confirm",
    ],
    [
      "team.deleted-shape",
      "DeletedTeam has id, object `team` and deleted true.",
      "team/teams > is gone for every member, with its invites and keys",
    ],
    [
      "team.member-shape",
      "TeamMember has user_id, role, groups and joined_at.",
      "team/teams > has every field, its maker as the one owner",
    ],
    [
      "team.removed-shape",
      "RemovedTeamMember has user_id and deleted true.",
      "team/members > remove",
    ],
    [
      "team.invite-shape",
      "TeamInvite has code, email, role and created_at, and maybe expires_at.",
      "team/invites > has a code, the address and the role",
    ],
    [
      "team.revoked-shape",
      "RevokedTeamInvite has code and revoked true.",
      "team/invites > stops the code at once and answers RevokedTeamInvite",
    ],
  ]),
  ...tested("gateway seed, Invite lifecycle", [
    [
      "invite.create",
      "An admin or owner invites for a role below the own; the invite is mailed.",
      "team/members > invite",
      "team/invite-mail > has arrived with both parts and the link",
    ],
    [
      "invite.replace",
      "A pending invite to the same address is replaced.",
      "team/invites > replaces a pending one to the same address",
      "team/races > invites to one address leave one pending",
    ],
    [
      "invite.expire",
      "After 7 days an invite is expired and no longer listed.",
      "team/invites > loses what is accepted, revoked or expired",
    ],
    ["invite.revoke", "Revoking stops the link at once.", "team/invites > stops the code at once"],
    [
      "invite.resend",
      "Resending gives a fresh code, stops the old one and mails again; 409 in other states.",
      "team/invites > gives a fresh code and seven more days",
      "team/invites > is 404 for a code never issued or of another team, 409 for one that has ended",
    ],
    [
      "invite.accept",
      "Accepting needs the invited address and answers with the Team.",
      "team/invites > joins with the invited role and answers the Team",
      "team/races > of 50 accepts of one code one joins and 49 are 409",
      "team/machine/first-half > differ from the model in none of a hundred stories",
    ],
  ]),
  ...tested("gateway seed, Membership", [
    [
      "member.create",
      "Who creates a team is its one owner.",
      "team/teams > has every field, its maker as the one owner",
    ],
    [
      "member.join",
      "Accepting makes a member with the invited role.",
      "team/invites > joins with the invited role and answers the Team",
    ],
    [
      "member.role",
      "A role is granted only below the own, to a member below the own; ownership never moves.",
      "team/members > change",
      "team/members > may not change its own role",
      "team/ranks > %s towards %s",
    ],
    [
      "member.remove",
      "Admins remove members below them, owners anyone but the last owner (409 last_owner).",
      "team/members > remove",
      "team/members > can neither leave nor be left as the only one",
      "team/races > two owners remove each other: never zero owners",
    ],
    [
      "member.team-deleted",
      "Deleting a team ends every membership and cannot be undone.",
      "team/teams > is gone for every member, with its invites and keys",
    ],
  ]),
  ...tested("gateway seed, Teams", [
    [
      "teams.list",
      "listTeams gives the teams of the caller, oldest first; a team key sees its own only.",
      "team/teams > holds the caller's teams with its own role, oldest first",
      "team/team-keys > sees its own team alone",
    ],
    ["teams.create", "createTeam needs a name.", "team/teams > needs a name"],
    [
      "teams.get",
      "getTeam shows the caller's own role.",
      "team/teams > does not exist for whoever is not a member, and is there for every member",
    ],
    [
      "teams.patch-rank",
      "updateTeam is for admins and owners.",
      "team/teams > is changed by admins and owners only",
    ],
    [
      "teams.patch-fields",
      "updateTeam changes name, share_defaults, share_policy, require_manual_confirm as sent.",
      "team/teams > changes only the fields that are sent",
    ],
    ["teams.delete", "deleteTeam is for owners.", "team/teams > is deleted by owners only"],
    [
      "teams.members",
      "listTeamMembers pages by user id in join order.",
      "contract/paging > gives every row once, in one order",
      "team/members > joins again at the end of the list",
      "team/many-members > is walked whole, forwards and backwards",
      "team/official-iterator > is walked backwards",
    ],
    [
      "teams.member-patch",
      "updateTeamMember needs a role.",
      "team/members > needs a role, unless groups are sent",
    ],
    [
      "teams.member-remove",
      "removeTeamMember answers 409 for the last owner.",
      "team/members > can neither leave nor be left as the only one",
    ],
    [
      "teams.invites",
      "listTeamInvites shows open invites in sending order to admins and owners.",
      "team/invites > is for admins and owners, in the order they were sent",
    ],
    [
      "teams.invite",
      "createTeamInvite takes email and role, `member` by default.",
      "team/invites > is for a member by default",
    ],
    [
      "teams.invite-revoke",
      "revokeTeamInvite answers RevokedTeamInvite.",
      "team/invites > stops the code at once and answers RevokedTeamInvite",
    ],
    [
      "teams.invite-resend",
      "resendTeamInvite takes no body.",
      "team/invites > gives a fresh code and seven more days",
    ],
    [
      "teams.accept-body",
      "acceptTeamInvite may take share with three optional booleans.",
      "team/invites > as the body says",
    ],
    [
      "teams.accept-mcp",
      "MCP servers stay unshared unless share.mcp is set.",
      "team/invites > but no MCP server unless the body says so",
    ],
    [
      "teams.accept-errors",
      "acceptTeamInvite can be 401, 403, 404 and 409.",
      "team/invites > is 403 for another address before anything",
      "team/invites > is 404 for a code never issued, 409 for one that was used",
    ],
  ]),
];
