import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import {
  ListTeamInvitesResponseSchema,
  RevokedTeamInviteSchema,
} from "../../gen/ts/causeway/team/v1/invite_pb.ts";
import {
  ListTeamMembersResponseSchema,
  RemovedTeamMemberSchema,
} from "../../gen/ts/causeway/team/v1/member_pb.ts";
import {
  ListTeamAuditResponseSchema,
  ListTeamsResponseSchema,
  type TeamService,
} from "../../gen/ts/causeway/team/v1/team_pb.ts";
import { DeletedTeamSchema } from "../../gen/ts/causeway/team/v1/team_types_pb.ts";
import { listAuditEvents } from "../domain/audit/audit-log.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import type { Clock } from "../platform/clock.ts";
import { toListEnvelope, readPageRequest } from "../platform/pagination.ts";
import { acceptInvite } from "./accept-invite.ts";
import { createInvite, listPendingInvites, resendInvite, revokeInvite } from "./invites.ts";
import { findTeamMemberPage } from "./member-page.ts";
import { promoteMemberToOwner, confirmMember, removeMember, updateMember } from "./members.ts";
import { assertCanManageTeam, getCallerMembership } from "./membership.ts";
import { createTeamAuditEventConverter } from "./team-audit.view.ts";
import { viewTeamInvite } from "./team-invite.view.ts";
import type { TeamInvite } from "./team-invite.entity.ts";
import { viewTeamMember } from "./team-member.view.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import {
  toInviteTeamRank,
  parseTeamMemberPatch,
  readInviteSharedExtensionKinds,
  parseTeamPatch,
} from "./team-request.ts";
import { viewTeam } from "./team.view.ts";
import { createTeam, deleteTeam, listTeams, updateTeam } from "./teams.ts";

export interface TeamRpcDependencies extends TeamDependencies {
  readonly clock: Clock;
}

type Methods<Name extends keyof ServiceImpl<typeof TeamService>> = Pick<
  ServiceImpl<typeof TeamService>,
  Name
>;

/** Teams, their members and their invites. */
export function createTeamRpc(dependencies: TeamRpcDependencies): ServiceImpl<typeof TeamService> {
  return {
    ...teamMethods(dependencies),
    ...memberMethods(dependencies),
    ...inviteMethods(dependencies),
  };
}

function teamMethods(
  dependencies: TeamRpcDependencies,
): Methods<"listTeams" | "createTeam" | "getTeam" | "updateTeam" | "deleteTeam" | "listTeamAudit"> {
  const { clock } = dependencies;
  return {
    async listTeams(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const page = await listTeams(em, actor, readPageRequest(request));
      return create(
        ListTeamsResponseSchema,
        toListEnvelope(page, viewTeam, ({ team }) => team.id),
      );
    },
    async createTeam({ name }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeam(await createTeam(em, actor, { name }));
    },
    async getTeam({ teamId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeam(await getCallerMembership(em, teamId, actor.principal));
    },
    async updateTeam(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeam(await updateTeam(em, actor, request.teamId, parseTeamPatch(request)));
    },
    async deleteTeam({ teamId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await deleteTeam(em, actor, teamId, dependencies);
      return create(DeletedTeamSchema, { id: teamId, object: "team", deleted: true });
    },
    async listTeamAudit(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const pageRequest = readPageRequest(request);
      assertCanManageTeam(await getCallerMembership(em, request.teamId, actor.principal));
      const page = await listAuditEvents(em, request.teamId, pageRequest);
      const view = await createTeamAuditEventConverter(em, page.rows);
      return create(ListTeamAuditResponseSchema, toListEnvelope(page, view, idOf));
    },
  };
}

function memberMethods(
  dependencies: TeamRpcDependencies,
): Methods<
  "listTeamMembers" | "updateTeamMember" | "removeTeamMember" | "confirmTeamMember" | "addTeamOwner"
> {
  const { clock } = dependencies;
  return {
    async listTeamMembers(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const pageRequest = readPageRequest(request);
      const page = await findTeamMemberPage(em, actor.principal, request.teamId, pageRequest);
      const envelope = toListEnvelope(page, viewTeamMember, ({ user }) => user.id);
      return create(ListTeamMembersResponseSchema, envelope);
    },
    async updateTeamMember(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { teamId, userId } = request;
      const changes = parseTeamMemberPatch(request);
      return viewTeamMember(await updateMember(em, actor, teamId, userId, changes));
    },
    async removeTeamMember({ teamId, userId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await removeMember(em, actor, teamId, userId, dependencies);
      return create(RemovedTeamMemberSchema, { object: "team_member", userId, deleted: true });
    },
    async confirmTeamMember({ teamId, userId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeamMember(await confirmMember(em, actor, teamId, userId));
    },
    async addTeamOwner({ teamId, userId }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeamMember(await promoteMemberToOwner(em, actor, teamId, userId));
    },
  };
}

function inviteMethods(
  dependencies: TeamRpcDependencies,
): Methods<
  | "listTeamInvites"
  | "createTeamInvite"
  | "revokeTeamInvite"
  | "resendTeamInvite"
  | "acceptTeamInvite"
> {
  const { clock, codes } = dependencies;
  const view = (invite: TeamInvite) => viewTeamInvite(invite, codes);
  return {
    async listTeamInvites(request, context) {
      const { em, actor } = readRpcContext(context, clock);
      const page = await listPendingInvites(
        em,
        actor,
        request.teamId,
        readPageRequest(request),
        dependencies,
      );
      const envelope = toListEnvelope(page, view, (invite) => codes.open(invite));
      return create(ListTeamInvitesResponseSchema, envelope);
    },
    async createTeamInvite({ teamId, email, role }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return view(
        await createInvite(
          em,
          actor,
          teamId,
          { email, role: toInviteTeamRank(role) },
          dependencies,
        ),
      );
    },
    async revokeTeamInvite({ teamId, code }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await revokeInvite(em, actor, teamId, code, dependencies);
      return create(RevokedTeamInviteSchema, { object: "team_invite", code, revoked: true });
    },
    async resendTeamInvite({ teamId, code }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return view(await resendInvite(em, actor, teamId, code, dependencies));
    },
    async acceptTeamInvite({ code, share }, context) {
      const { em, actor } = readRpcContext(context, clock);
      return viewTeam(
        await acceptInvite(em, actor, code, readInviteSharedExtensionKinds(share), dependencies),
      );
    },
  };
}

const idOf = ({ id }: { readonly id: string }) => id;
