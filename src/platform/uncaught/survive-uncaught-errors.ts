import { flushLog, type Logger } from "../log.ts";
import {
  getActiveConnectionContext,
  clearActiveConnectionContext,
  type ErrorIsolatedConnection,
} from "./guarded-connection.ts";

let survived = 0;

/** Uncaught errors that ended a connection, and not this process, since it started. */
export function getSurvivedErrorCount(): number {
  return survived;
}

/**
 * An error that nobody caught ends the connection that it belongs to: it is
 * logged, counted, and the connection closed, whose calls then end as if the
 * other side had left. One that belongs to no connection leaves the process in
 * doubt, and ends it with code 1. Rejected promises come here too.
 */
export function installUncaughtErrorHandler(log: Logger): void {
  process.on("uncaughtException", (error, origin) => {
    const connection = getActiveConnectionContext();
    clearActiveConnectionContext();
    if (connection === undefined) void endProcess(error, origin, log);
    else endConnection(connection, error, origin, log);
  });
}

function endConnection(
  connection: ErrorIsolatedConnection,
  error: Error,
  origin: string,
  log: Logger,
): void {
  survived += 1;
  const { direction, peer } = connection;
  log.error({ err: error, origin, direction, peer }, "an uncaught error ends its connection");
  connection.close();
}

async function endProcess(error: Error, origin: string, log: Logger): Promise<void> {
  log.fatal({ err: error, origin }, "an uncaught error ends the process");
  await flushLog(log);
  process.exit(1);
}
