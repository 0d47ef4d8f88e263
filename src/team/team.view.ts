import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { TeamRoleSchema } from "../../gen/ts/causeway/team/v1/member_pb.ts";
import {
  TeamSchema as TeamMessageSchema,
  type Team as TeamMessage,
  SharePolicySchema,
} from "../../gen/ts/causeway/team/v1/team_types_pb.ts";
import { enumNameToNumber } from "../contract/enum-name.ts";
import type { TeamWithRank } from "./teams.ts";

/** A team as one caller sees it, with the rank that the caller acts with. */
export function viewTeam({ team, rank }: TeamWithRank): TeamMessage {
  return create(TeamMessageSchema, {
    id: team.id,
    object: "team",
    name: team.name,
    role: enumNameToNumber(TeamRoleSchema, rank),
    memberCount: team.memberCount,
    createdAt: timestampFromDate(team.createdAt),
    shareDefaults: { ...team.shareDefaults },
    sharePolicy: enumNameToNumber(SharePolicySchema, team.sharePolicy),
    requireManualConfirm: team.requireManualConfirm,
  });
}
