import { systemClock } from "../../platform/clock.ts";
import { readConfiguration } from "../../platform/configuration/configuration.ts";
import { createProcessLoggers } from "../../platform/log.ts";
import { openDatabaseStorage } from "../open-storage.ts";

/** `causeway database migrate`: brings the schema up to this release and exits. */
export async function runMigrateCommand(environment: NodeJS.ProcessEnv): Promise<void> {
  const configuration = readConfiguration(environment);
  const { log } = await createProcessLoggers(configuration.logLevel);
  const storage = await openDatabaseStorage({ configuration, log, clock: systemClock });
  await storage.close();
  process.stdout.write("The database is up to date.\n");
}
