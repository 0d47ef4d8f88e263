import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TeamRoleSchema } from "../../gen/ts/causeway/team/v1/member_pb.ts";
import {
  TeamInviteSchema as TeamInviteMessageSchema,
  type TeamInvite as TeamInviteMessage,
} from "../../gen/ts/causeway/team/v1/invite_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { TeamInviteCodes } from "./invite-codes.ts";
import type { TeamInvite } from "./team-invite.entity.ts";

/** A pending invite as admins and owners see it, with its code and address. */
export function viewTeamInvite(
  invite: TeamInvite,
  codes: Pick<TeamInviteCodes, "open">,
): TeamInviteMessage {
  return create(TeamInviteMessageSchema, {
    object: "team_invite",
    code: codes.open(invite),
    email: invite.email,
    role: enumNameToNumber(TeamRoleSchema, invite.role),
    createdAt: timestampFromDate(invite.createdAt),
    expiresAt: timestampFromDate(invite.expiresAt),
  });
}
