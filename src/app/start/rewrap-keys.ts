import { threadSealedColumns } from "../../agent/thread/thread-store.ts";
import { learnedServiceSealedColumns } from "../../document/service-state.ts";
import {
  platformSealedColumns,
  rewrapSealedColumns,
  type SealedColumn,
} from "../../domain/rewrap.ts";
import { systemClock } from "../../platform/clock.ts";
import { readConfiguration } from "../../platform/configuration/configuration.ts";
import { responseSealedColumns } from "../../gateway/stored-responses/stored-response-store.ts";
import { createProcessLoggers } from "../../platform/log.ts";
import { teamInviteSealedColumns } from "../../team/invite-codes.ts";
import { agentExtensionSealedColumns } from "../../team/item/item-secrets.ts";
import { turnSealedColumns } from "../../turn/turn-store.ts";
import { upstreamSealedColumns } from "../../upstream/upstream-secrets.ts";
import { vendorSealedColumns } from "../../model-vendor/vendor-secrets.ts";
import { openDatabaseStorage } from "../open-storage.ts";

/** Every sealed column of every domain. */
export const allSealedColumns: readonly SealedColumn[] = [
  ...platformSealedColumns,
  ...upstreamSealedColumns,
  ...vendorSealedColumns,
  ...teamInviteSealedColumns,
  ...agentExtensionSealedColumns,
  ...responseSealedColumns,
  ...turnSealedColumns,
  ...threadSealedColumns,
  ...learnedServiceSealedColumns,
];

/**
 * `causeway keys rewrap`: moves everything that is sealed to the first key of
 * `CAUSEWAY_SECRET_KEY`. It may run beside the server and may be repeated; when
 * it is done the other keys can go.
 */
export async function runMasterKeyRewrapCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const configuration = readConfiguration(environment);
  const { log } = await createProcessLoggers(configuration.logLevel);
  const storage = await openDatabaseStorage({ configuration, log, clock: systemClock });
  try {
    const counts = await rewrapSealedColumns(
      storage.database.fork(),
      storage.box,
      allSealedColumns,
    );
    for (const { table, column, seen, moved } of counts) {
      process.stdout.write(`${table}.${column}: ${moved} of ${seen} moved\n`);
    }
  } finally {
    await storage.close();
  }
}
