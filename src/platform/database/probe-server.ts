import type { Socket } from "node:net";
import { Client } from "pg";
import { setStallTolerantTimeout } from "../free-time.ts";
import { isDatabaseDownError } from "./database-unavailable.ts";

/** Who answers at a connection string. */
export type DatabaseProbeResult = "ready" | "refusing" | "silent";

/**
 * Asks the server over a connection of its own.
 *
 * @param heard - bytes that came from the server over other connections; they prove
 * that it lives
 * @returns `ready` when it answers a statement, `refusing` when it answers with
 * an error (too many connections), `silent` when nothing comes for `limitMs` or the
 * connection is refused
 */
export async function probeDatabaseServer(
  connectionString: string,
  limitMs: number,
  heard: () => number = () => 0,
): Promise<DatabaseProbeResult> {
  const client = new Client({ connectionString, application_name: "causeway probe" });
  client.on("error", () => undefined);
  // All steps of it: a server may hang after it has accepted the connection.
  const endLimit = dropSilentDatabaseConnection(client, limitMs, {
    heard: () => readReceivedDatabaseBytes(client) + heard(),
  });
  try {
    await client.connect();
    await client.query("select 1");
    return "ready";
  } catch (error) {
    return isDatabaseDownError(error) && !hasServerCode(error) ? "silent" : "refusing";
  } finally {
    endLimit();
    dropDatabaseConnection(client);
  }
}

interface SilenceOptions {
  /** Bytes that came from the server; those of this connection if omitted. */
  readonly heard?: () => number;
  /** Error of the statements in flight; that of a lost connection if omitted. */
  readonly reason?: () => Error;
}

/**
 * Ends a connection when nothing comes from the server for so long. An answer that
 * comes slowly, or in parts, is an answer.
 *
 * @returns a function that ends the watching
 */
export function dropSilentDatabaseConnection(
  client: Client,
  limitMs: number,
  {
    heard = () => readReceivedDatabaseBytes(client),
    reason = () => noAnswer(limitMs),
  }: SilenceOptions = {},
): () => void {
  return setStallTolerantTimeout(limitMs, () => dropDatabaseConnection(client, reason()), heard);
}

function noAnswer(limitMs: number): Error {
  return new Error(`Connection terminated: no answer within ${limitMs} ms`);
}

/** Bytes that have come over a connection. */
export function readReceivedDatabaseBytes(client: Client): number {
  return (client.connection.stream as Socket).bytesRead;
}

/** Ends a connection without waiting for the server, which may hang. Its statements fail at once. */
export function dropDatabaseConnection(client: Client, reason?: Error): void {
  client.connection.stream.destroy(reason);
}

/** An answer of PostgreSQL carries an SQLSTATE of five characters; a failure of the socket has another kind of code. */
function hasServerCode(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}
