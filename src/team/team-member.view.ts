import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  TeamMemberSchema as TeamMemberMessageSchema,
  type TeamMember as TeamMemberMessage,
  TeamRoleSchema,
} from "../../gen/ts/causeway/team/v1/member_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { TeamMember } from "./team-member.entity.ts";

/** A member as other members see it: by id, without the address. */
export function viewTeamMember(member: TeamMember): TeamMemberMessage {
  return create(TeamMemberMessageSchema, {
    object: "team_member",
    userId: member.user.id,
    role: enumNameToNumber(TeamRoleSchema, member.role),
    groups: member.groups,
    joinedAt: timestampFromDate(member.joinedAt),
    confirmed: member.confirmed,
  });
}
