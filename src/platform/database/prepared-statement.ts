import type { Pool, QueryResultRow } from "pg";
import type { Logger } from "pino";
import type { DatabaseConnectionQueue } from "./connection-queue.ts";
import { toStorableStatementParameter } from "./storable-text.ts";
import { warnIfStatementSlow, type StatementTextObserver } from "./orm-logger.ts";

/** A statement that is the same at every call but for its values. */
export interface PreparedStatement {
  /** Unique among the statements of this kind, for ever the same text. */
  readonly name: string;
  /** With `$1`, `$2`, … for the values. */
  readonly text: string;
  /** It takes the next free connection, before all that wait for one. */
  readonly isUrgent?: boolean;
}

/** Runs one; its rows. */
export type PreparedStatementRunner = <Row extends QueryResultRow>(
  statement: PreparedStatement,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/**
 * Runs statements of a model call past the mapper; PostgreSQL reads each of them
 * once per connection.
 */
export function createPreparedStatementRunner(
  pool: Pool,
  connections: Pick<DatabaseConnectionQueue, "enterFirst">,
  log: Logger,
  observer: StatementTextObserver | undefined,
): PreparedStatementRunner {
  return async <Row extends QueryResultRow>(
    { name, text, isUrgent = false }: PreparedStatement,
    values: readonly unknown[],
  ) => {
    observer?.(text);
    const began = performance.now();
    const query = { name, text, values: values.map(toStorableStatementParameter) };
    const send = () => pool.query<Row>(query);
    const { rows } = await (isUrgent ? connections.enterFirst(send) : send());
    warnIfStatementSlow(log, text, performance.now() - began);
    return rows;
  };
}
