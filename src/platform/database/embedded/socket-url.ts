import { postgresSocketPort } from "./socket-directory.ts";

/** What a connection string to the embedded server is made of. */
export interface PostgresSocketParameters {
  readonly socketDirectory: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/**
 * A connection string over a unix socket, as `pg` and libpq read it: the
 * directory is the parameter `host`, the host name before the path is ignored.
 */
export function buildPostgresSocketUrl({
  socketDirectory,
  user,
  password,
  database,
}: PostgresSocketParameters): string {
  const url = new URL(`postgresql://localhost/${encodeURIComponent(database)}`);
  url.username = user;
  url.password = password;
  url.searchParams.set("host", socketDirectory);
  url.searchParams.set("port", String(postgresSocketPort));
  // `+` for a space is form encoding, which not every reader of such strings knows.
  return url.href.replaceAll("+", "%20");
}
