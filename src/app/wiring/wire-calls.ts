import { CallService } from "../../../gen/ts/causeway/call/v1/call_pb.ts";
import { CallLog } from "../../call-log/call-log.ts";
import { maintainCallLogPartitions } from "../../call-log/call-partitions.ts";
import { createCallLogRpc, type CallLogRpcDependencies } from "../../call-log/call.rpc.ts";
import { assertCanManageTeam, getCallerMembership } from "../../team/membership.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import { loadUsageByCall } from "../../wallet/usage-by-call.ts";
import type { SharedResources } from "../foundation.ts";
import type { AccountModule } from "./wire-accounts.ts";

export interface CallLogModule {
  readonly services: readonly MountedService[];
  readonly log: CallLog;
  /** Starts to make the days that come, and to drop those that are over. */
  start(): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

const dayMs = 24 * 60 * 60_000;

const renewMs = 10 * 60_000;

/** Builds the log of calls. */
export function createCallLogModule(
  { configuration, storage, clock, log }: SharedResources,
  { teams, background }: AccountModule,
): CallLogModule {
  const { callsDays } = configuration.retention;
  const fork = () => storage.database.fork();
  const calls = new CallLog({ fork, log });
  const rpc = createCallLogRpc({
    clock,
    retentionMs: callsDays * dayMs,
    flushCalls: () => calls.flush(),
    assertManagesTeam,
    teamsManagedBy: (em, userId) => teams.teamsManagedBy(em, userId),
    usedByCalls: loadUsageByCall,
  });
  const renew = () =>
    void background.run("renewing the days of the log of calls", () =>
      maintainCallLogPartitions(fork(), clock.now(), callsDays),
    );
  let renewing: NodeJS.Timeout | undefined;
  return {
    services: [bindServiceImplementation(CallService, rpc)],
    log: calls,
    start: () => {
      renew();
      renewing = setInterval(renew, renewMs).unref();
    },
    close: async () => {
      clearInterval(renewing);
      await calls.flush();
    },
  };
}

const assertManagesTeam: CallLogRpcDependencies["assertManagesTeam"] = async (
  em,
  teamId,
  principal,
) => {
  assertCanManageTeam(await getCallerMembership(em, teamId, principal));
};
