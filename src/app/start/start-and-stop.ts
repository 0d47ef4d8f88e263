import { loadInstanceSecrets } from "../../platform/configuration/instance-secrets.ts";
import { parseEgressAllowList } from "../../platform/dial/allow-list.ts";
import { flushLog, type Logger } from "../../platform/log.ts";
import type { ServerInstance, ServerInstanceDependencies } from "../instance.ts";
import { openExternalOrEmbeddedPostgres } from "./open-database-server.ts";
import { withTimeoutFallback } from "../../platform/with-timeout.ts";

/** Time for the database to get as far as it comes without us: to the programs of its own. */
const codeLoadDelayMs = 100;

/**
 * Tries first what can be tried quickly, then has the database start. Loading the
 * code of the services takes most of a second, in which nothing else can run here.
 */
export async function startServerAfterChecks(
  dependencies: ServerInstanceDependencies,
  check: () => Promise<void> = () => Promise.resolve(),
): Promise<ServerInstance> {
  const { configuration, log } = dependencies;
  parseEgressAllowList(configuration.upstreamAllow);
  await check();
  loadInstanceSecrets(configuration);
  const database = openExternalOrEmbeddedPostgres(configuration, log, dependencies.processes);
  await withTimeoutFallback(database, codeLoadDelayMs, undefined);
  const { startServerInstance } = await import("../instance.ts");
  return startServerInstance({ ...dependencies, database });
}

/**
 * Drains, and ends the process. A start that is under way is waited for, so that
 * the embedded database is not left running.
 */
export async function stopServerAndExit(
  starting: Promise<ServerInstance>,
  reason: string,
  log: Logger,
): Promise<void> {
  log.info({ signal: reason }, "draining");
  const instance = await starting.catch(() => undefined);
  // A failed start ends the process by itself.
  if (instance === undefined) return;
  try {
    await instance.stop();
    log.info("stopped");
    await flushLog(log);
    process.exit(0);
  } catch (error) {
    log.error({ err: error }, "the stop failed");
    await flushLog(log);
    process.exit(1);
  }
}
