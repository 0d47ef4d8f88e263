import { Client } from "pg";

/** Who answers at a connection string. */
export type ServerAnswer = "ready" | "refusing" | "silent";

/**
 * Asks the server over a connection of its own.
 *
 * @returns `ready` when it answers a statement, `refusing` when it answers with
 * an error (starting up, too many connections), `silent` when nobody answers in time
 */
export async function probeServer(
  connectionString: string,
  limitMs: number,
): Promise<ServerAnswer> {
  const client = new Client({ connectionString, application_name: "causeway probe" });
  client.on("error", () => undefined);
  // One limit for all of it: a server may hang after it has accepted the connection.
  const endLimit = afterFreeTime(limitMs, () => dropConnection(client));
  try {
    await client.connect();
    await client.query("select 1");
    return "ready";
  } catch (error) {
    return hasServerCode(error) ? "refusing" : "silent";
  } finally {
    endLimit();
    dropConnection(client);
  }
}

/** A limit is counted in so many parts. */
const parts = 5;

/**
 * Acts after a time in which this process was not held up itself: what comes in
 * while it is busy is an answer all the same, and a part that took longer counts
 * once. The answer ends the wait.
 */
function afterFreeTime(milliseconds: number, act: () => void): () => void {
  let left = parts;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    act();
  }, milliseconds / parts);
  return () => clearInterval(timer);
}

/** Ends a connection without waiting for the server, which may hang. Its statements fail at once. */
export function dropConnection(client: Client): void {
  client.connection.stream.destroy();
}

/** An answer of PostgreSQL carries an SQLSTATE of five characters; a failure of the socket has another kind of code. */
function hasServerCode(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^[0-9A-Z]{5}$/.test(String(error.code));
}
