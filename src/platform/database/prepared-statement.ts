import type { Pool, QueryResultRow } from "pg";
import type { Logger } from "pino";
import { warnIfSlow, type StatementObserver } from "./orm-logger.ts";

/** A statement that is the same at every call but for its values. */
export interface PreparedStatement {
  /** Unique among the statements of this kind, for ever the same text. */
  readonly name: string;
  /** With `$1`, `$2`, … for the values. */
  readonly text: string;
}

/** Runs one; its rows. */
export type RunPrepared = <Row extends QueryResultRow>(
  statement: PreparedStatement,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/**
 * Runs statements of a model call past the mapper; PostgreSQL reads each of them
 * once per connection.
 */
export function preparedStatements(
  pool: Pool,
  log: Logger,
  observer: StatementObserver | undefined,
): RunPrepared {
  return async <Row extends QueryResultRow>(
    { name, text }: PreparedStatement,
    values: readonly unknown[],
  ) => {
    observer?.(text);
    const began = performance.now();
    const { rows } = await pool.query<Row>({ name, text, values: [...values] });
    warnIfSlow(log, text, performance.now() - began);
    return rows;
  };
}
