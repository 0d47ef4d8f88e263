import type { EntityManager } from "@mikro-orm/postgresql";
import type { TeamService } from "../../gen/ts/causeway/team/v1/team_pb.ts";
import type { Actor } from "../kernel/audit/audit.ts";
import { rpcCall } from "../kernel/rpc-call.ts";
import { findUser } from "../account/users.ts";
import type { Clock } from "../platform/clock.ts";
import { admittedCallers, type RepeatChecks } from "../platform/repeat-checks.ts";
import { findInviteFor } from "./accept-invite.ts";
import { assertMayInvite, findInvite, noLongerPending } from "./invites.ts";
import { membershipOf } from "./membership.ts";
import { personOf } from "./people.ts";
import { TeamMemberSchema } from "./team-member.entity.ts";
import type { TeamDependencies } from "./team-dependencies.ts";
import { inviteRank } from "./team-request.ts";

type Ports = Pick<TeamDependencies, "codes"> & { readonly clock: Clock };

/** Who may have the answers of teams again: whoever still has the rank, or joined and stayed. */
export function teamRepeatChecks({ codes, clock }: Ports): RepeatChecks<typeof TeamService> {
  return {
    createTeam: admittedCallers,
    async createTeamInvite({ teamId, role }, context) {
      const { em, actor } = rpcCall(context, clock);
      const { rank } = await membershipOf(em, teamId, actor.principal);
      assertMayInvite(rank, inviteRank(role));
    },
    async resendTeamInvite({ teamId, code }, context) {
      const { em, actor } = rpcCall(context, clock);
      const { rank } = await membershipOf(em, teamId, actor.principal);
      const invite = await findInvite(em, { team: teamId, codeHash: codes.hash(code) });
      assertMayInvite(rank, invite.role);
    },
    async acceptTeamInvite({ code }, context) {
      const { em, actor } = rpcCall(context, clock);
      await assertJoined(em, actor, codes.hash(code));
    },
  };
}

/** To whoever has left since, the invite is what it is to everybody: used. */
async function assertJoined(em: EntityManager, actor: Actor, codeHash: string): Promise<void> {
  const user = await findUser(em, personOf(actor.principal, "accept invites"));
  const { team } = await findInviteFor(em, user, codeHash);
  const seat = { team: team.id, user: user.id, leftAt: null };
  if ((await em.count(TeamMemberSchema, seat)) === 0) throw noLongerPending();
}
