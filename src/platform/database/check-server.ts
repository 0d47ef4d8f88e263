import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { ConfigurationError } from "../configuration/configuration-error.ts";
import { DatabaseStartError } from "./database-start-error.ts";
import { withStallTolerantTimeoutFallback } from "../free-time.ts";
import { dropSilentDatabaseConnection } from "./probe-server.ts";

const oldestVersion = 14;
/** Longest silence of the server while a connection is opened. */
const connectLimitMs = 5000;
const notificationLimitMs = 2000;

/**
 * Makes sure that the server can carry Causeway: it answers, it is PostgreSQL 14
 * or newer, it takes writes, and its connections are sessions (no transaction
 * pooler in between, which would lose LISTEN and advisory locks silently).
 *
 * @throws DatabaseStartError that says what to change
 */
export async function checkDatabaseServer(connectionString: string): Promise<void> {
  const first = newClient(connectionString);
  const second = newClient(connectionString);
  try {
    await Promise.all([connect(first), connect(second)]).catch((error: unknown) => {
      throw cannotConnect(first, error);
    });
    await checkVersion(first);
    await checkSessions(first, second);
  } finally {
    await Promise.all([first.end(), second.end()]);
  }
}

async function connect(client: Client): Promise<void> {
  const endLimit = dropSilentDatabaseConnection(client, connectLimitMs);
  await client.connect().finally(endLimit);
}

function newClient(connectionString: string): Client {
  const client = parse(connectionString);
  client.on("error", () => undefined);
  return client;
}

/** The driver reads the string, and the certificate files that it may name, at once. */
function parse(connectionString: string): Client {
  try {
    return new Client({
      connectionString,
      application_name: "causeway check",
    });
  } catch (error) {
    throw new ConfigurationError(
      "DATABASE_URL",
      `cannot be used (${error instanceof Error ? error.message : String(error)})`,
    );
  }
}

function cannotConnect(client: Client, error: unknown): DatabaseStartError {
  const reason = error instanceof Error ? error.message || String(error) : String(error);
  const place = `${client.host}:${client.port}/${client.database ?? ""}`;
  return new DatabaseStartError(
    `Cannot connect to the database ${place}: ${reason}. Check DATABASE_URL and that the server runs.`,
    { cause: error },
  );
}

async function checkVersion(client: Client): Promise<void> {
  const { rows } = await client.query<{ number: number; name: string; readOnly: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name,
      current_setting('transaction_read_only') as "readOnly"`,
  );
  const [server] = rows;
  if (server === undefined || server.number < oldestVersion * 10_000) {
    throw new DatabaseStartError(
      `The server of DATABASE_URL is PostgreSQL ${server?.name ?? "of unknown version"}; Causeway needs ${oldestVersion} or newer.`,
    );
  }
  if (server.readOnly === "on") {
    throw new DatabaseStartError(
      "The server of DATABASE_URL takes no writes (a replica?). Point DATABASE_URL at the primary.",
    );
  }
}

/**
 * A transaction pooler lends a server session for one transaction at a time. It
 * shows when a second client holds a session in a transaction: the first
 * client's session is then the second's, or changes; and what a client listens
 * for does not reach it.
 */
async function checkSessions(first: Client, second: Client): Promise<void> {
  const channel = `causeway_check_${randomBytes(8).toString("hex")}`;
  const notification = nextNotification(first, channel);
  await first.query(`listen ${channel}`);
  const before = await sessionOf(first);
  await second.query("begin");
  const other = await sessionOf(second);
  const after = await sessionOf(first);
  await second.query(`notify ${channel}`);
  await second.query("commit");
  // A session gets what it listens for with its next answer at the latest, so that
  // a start on a busy machine, where every wait may be long, does not miss it.
  await sessionOf(first);
  const heard = await withStallTolerantTimeoutFallback(notification, notificationLimitMs, false);
  const isSession = before === after && other !== before && heard;
  if (!isSession) throw poolerRefusal();
}

async function sessionOf(client: Client): Promise<number | undefined> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]?.pid;
}

function nextNotification(client: Client, channel: string): Promise<true> {
  return new Promise((resolve) => {
    client.on("notification", (notification) => {
      if (notification.channel === channel) resolve(true);
    });
  });
}

function poolerRefusal(): DatabaseStartError {
  return new DatabaseStartError(
    "DATABASE_URL leads to a transaction pooler: statements of one connection reach different sessions, or notifications are lost. " +
      "Causeway needs session connections. Use the pooler's session mode (often another port), or connect to PostgreSQL directly.",
  );
}
