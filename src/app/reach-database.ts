import type { Configuration } from "../platform/configuration/configuration.ts";
import { startEmbeddedServer } from "../platform/database/embedded-server.ts";
import type { Logger } from "../platform/log.ts";

/** A PostgreSQL server that takes connections. */
export interface ReachedDatabase {
  readonly connectionString: string;
  /** Leaves the embedded server; for a server of the operator's, nothing. */
  stop(): Promise<void>;
}

/** The server of `DATABASE_URL`, not yet tried, or the embedded one, started or joined. */
export async function reachDatabase(
  { databaseUrl, dataDirectory }: Configuration,
  log: Logger,
): Promise<ReachedDatabase> {
  if (databaseUrl === undefined) return startEmbeddedServer({ dataDirectory, log });
  return { connectionString: databaseUrl, stop: () => Promise.resolve() };
}
