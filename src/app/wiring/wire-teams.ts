import { TeamService } from "../../../gen/ts/causeway/team/v1/team_pb.ts";
import { TeamInviteCodes } from "../../team/invite-codes.ts";
import { agentExtensionMembershipHooks } from "../../team/item/member-items.ts";
import { createTeamReplayAuthorizers } from "../../team/replay-checks.ts";
import type { TeamDependencies } from "../../team/team-dependencies.ts";
import { createTeamRpc } from "../../team/team.rpc.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import type { SharedResources } from "../foundation.ts";
import { accountDataErasers, type AccountModule } from "./wire-accounts.ts";

export interface TeamModule {
  readonly services: readonly MountedService[];
  readonly dependencies: TeamDependencies;
}

/** How long the answer to an invite waits for its mail. */
const firstAttemptMs = 5_000;

/**
 * Builds teams on the accounts. Team keys follow the membership of who made
 * them: when a team's members change, its keys are read anew.
 */
export function createTeamModule(
  { storage, feed, clock }: SharedResources,
  { mail, keys, hasher }: AccountModule,
  publicUrl: () => string,
): TeamModule {
  const codes = new TeamInviteCodes(hasher, storage.box);
  const dependencies = {
    pooledItems: agentExtensionMembershipHooks,
    erase: accountDataErasers,
    mail,
    codes,
    publicUrl,
    firstAttemptMs,
  };
  feed.on("team_members", ({ accountId }) => keys.dropAccount(accountId));
  return {
    services: [
      bindServiceImplementation(
        TeamService,
        createTeamRpc({ ...dependencies, clock }),
        createTeamReplayAuthorizers({ codes, clock }),
      ),
    ],
    dependencies,
  };
}
