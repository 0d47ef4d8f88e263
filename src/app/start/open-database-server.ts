import type { Configuration } from "../../platform/configuration/configuration.ts";
import { startEmbeddedPostgres } from "../../platform/database/embedded-server.ts";
import { planDatabaseConnections } from "../../platform/database/connection-plan.ts";
import type { Logger } from "../../platform/log.ts";

/** A PostgreSQL server that takes connections. */
export interface DatabaseServerHandle {
  readonly connectionString: string;
  /** Leaves the embedded server; for a server of the operator's, nothing. */
  stop(): Promise<void>;
}

/**
 * The server of `DATABASE_URL`, not yet tried, or the embedded one, started or
 * joined; one that runs already keeps its number of connections.
 *
 * @param processes - of this server, which all use it
 */
export async function openExternalOrEmbeddedPostgres(
  { databaseUrl, dataDirectory }: Configuration,
  log: Logger,
  processes = 1,
): Promise<DatabaseServerHandle> {
  if (databaseUrl === undefined) {
    const settings = { max_connections: String(planDatabaseConnections(processes).maxConnections) };
    return startEmbeddedPostgres({ dataDirectory, log, settings });
  }
  return { connectionString: databaseUrl, stop: () => Promise.resolve() };
}
