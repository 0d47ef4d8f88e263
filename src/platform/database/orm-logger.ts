import type { Logger as OrmLogger } from "@mikro-orm/core";
import type { Logger } from "pino";

/** Told of every statement that the ORM sends, `begin` and `commit` included; values are left out. */
export type StatementTextObserver = (sql: string) => void;

const slowMs = 1000;

/** Passes what the ORM logs to the log of the process: warnings, and slow statements without their values. */
export function createOrmLogger(
  log: Logger,
  observer: StatementTextObserver | undefined,
): OrmLogger {
  return {
    log: (namespace, message) => log.debug({ namespace }, message),
    warn: (namespace, message) => log.warn({ namespace }, message),
    error: (namespace, message) => log.error({ namespace }, message),
    setDebugMode: () => undefined,
    // What is not enabled is still passed to `logQuery`, but with placeholders in place of values.
    isEnabled: () => false,
    logQuery: ({ query = "", took = 0, level }) => {
      observer?.(query);
      // What failed is reported by whoever asked.
      if (level !== "error") warnIfStatementSlow(log, query, took);
    },
  };
}

/** Logs a statement that took long. */
export function warnIfStatementSlow(log: Logger, sql: string, milliseconds: number): void {
  if (milliseconds >= slowMs) log.warn({ sql, milliseconds }, "slow statement");
}
