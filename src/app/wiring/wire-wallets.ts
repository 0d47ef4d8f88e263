import type { EntityManager } from "@mikro-orm/postgresql";
import { WalletService } from "../../../gen/ts/causeway/wallet/v1/wallet_pb.ts";
import { UserEntity } from "../../account/user.entity.ts";
import { toDatabaseUnavailableError } from "../../platform/database/database-unavailable.ts";
import type { ErrorCode } from "../../platform/errors.ts";
import { allowAnyReplay } from "../../platform/replay-checks.ts";
import { TeamEntity } from "../../team/team.entity.ts";
import { bindServiceImplementation, type MountedService } from "../../transport/mounted-service.ts";
import { WalletLedger } from "../../wallet/ledger.ts";
import { createWalletRpc, type WalletRpcDependencies } from "../../wallet/wallet.rpc.ts";
import { isKeyOutOfFunds, type PayingKey } from "../../wallet/wallets.ts";
import type { SharedResources } from "../foundation.ts";
import type { CallLogModule } from "./wire-calls.ts";
import type { ServicePublicUrl } from "../start/public-address.ts";

export interface WalletModule {
  readonly services: readonly MountedService[];
  readonly ledger: WalletLedger;
  /** What a call that this key would pay for is refused with now; undefined: nothing that is known. */
  readonly paymentErrorOf: (key: PayingKey) => Promise<ErrorCode | undefined>;
  /** Starts to look for calls of dead processes. */
  start(): void;
  /** Writes what is pending. */
  close(): Promise<void>;
}

const settleIntervalMs = 15_000;

/** Builds wallets, the ledger and usage. */
export function createWalletModule(
  foundation: SharedResources,
  address: ServicePublicUrl,
  calls: CallLogModule,
): WalletModule {
  const { storage, clock, log } = foundation;
  const fork = () => storage.database.fork();
  const byoUrl = () => address.docUrl("byo_url");
  const ledger = new WalletLedger({
    fork,
    runPrepared: storage.database.runPrepared,
    clock,
    log,
    byoUrl,
  });
  const flushCalls = () => calls.log.flush();
  const rpc = createWalletRpc({ clock, flushCalls, accountExists });
  // Another process, or the next time, will do it.
  const sweep = () =>
    ledger.sweep().catch((error: unknown) => log.debug({ err: error }, "no sweep"));
  let sweeping: NodeJS.Timeout | undefined;
  return {
    services: [
      bindServiceImplementation(WalletService, rpc, {
        addUserCredits: allowAnyReplay,
        addTeamCredits: allowAnyReplay,
      }),
    ],
    ledger,
    paymentErrorOf: (key) => refusalOf(fork(), key, clock.now()),
    start: () => {
      sweeping = setInterval(() => void sweep(), settleIntervalMs).unref();
    },
    close: async () => {
      clearInterval(sweeping);
      await ledger.close();
    },
  };
}

async function refusalOf(
  em: EntityManager,
  key: PayingKey,
  now: number,
): Promise<ErrorCode | undefined> {
  try {
    return (await isKeyOutOfFunds(em, key, now)) ? "byo_url" : undefined;
  } catch (error) {
    const unavailable = toDatabaseUnavailableError(error);
    if (unavailable === undefined) throw error;
    return unavailable.code;
  }
}

const accountExists: WalletRpcDependencies["accountExists"] = async (em, accountId) => {
  const where = { id: accountId, deletedAt: null };
  const count = accountId.startsWith("team_")
    ? await em.count(TeamEntity, where)
    : await em.count(UserEntity, where);
  return count > 0;
};
