import type { EntityManager } from "@mikro-orm/postgresql";
import type { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import type { AuditActor } from "../domain/audit/audit.ts";
import { readRpcContext } from "../domain/rpc-context.ts";
import { getUser } from "../account/users.ts";
import type { Clock } from "../platform/clock.ts";
import { allowAnyReplay, type IdempotencyReplayAuthorizers } from "../platform/replay-checks.ts";
import { requireUserInviteByCode } from "./accept-invite.ts";
import { assertCanInvite, requireInviteByFilter, inviteNotPendingError } from "./invites.ts";
import { getCallerMembership } from "./membership.ts";
import { requirePersonUserId } from "./require-person.ts";
import { TeamMemberEntity } from "./team-member.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import { toInviteTeamRank } from "./team-request.ts";

type Ports = Pick<TeamDependencies, "codes"> & { readonly clock: Clock };

/** Who may have the answers of teams again: whoever still has the rank, or joined and stayed. */
export function createTeamReplayAuthorizers({
  codes,
  clock,
}: Ports): IdempotencyReplayAuthorizers<typeof TeamService> {
  return {
    createTeam: allowAnyReplay,
    async createTeamInvite({ teamId, role }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { rank } = await getCallerMembership(em, teamId, actor.principal);
      assertCanInvite(rank, toInviteTeamRank(role));
    },
    async resendTeamInvite({ teamId, code }, context) {
      const { em, actor } = readRpcContext(context, clock);
      const { rank } = await getCallerMembership(em, teamId, actor.principal);
      const invite = await requireInviteByFilter(em, { team: teamId, codeHash: codes.hash(code) });
      assertCanInvite(rank, invite.role);
    },
    async acceptTeamInvite({ code }, context) {
      const { em, actor } = readRpcContext(context, clock);
      await assertJoined(em, actor, codes.hash(code));
    },
  };
}

/** To whoever has left since, the invite is what it is to everybody: used. */
async function assertJoined(em: EntityManager, actor: AuditActor, codeHash: string): Promise<void> {
  const user = await getUser(em, requirePersonUserId(actor.principal, "accept invites"));
  const { team } = await requireUserInviteByCode(em, user, codeHash);
  const seat = { team: team.id, user: user.id, leftAt: null };
  if ((await em.count(TeamMemberEntity, seat)) === 0) throw inviteNotPendingError();
}
