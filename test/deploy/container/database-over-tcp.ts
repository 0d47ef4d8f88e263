import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream";

/** A way to a database that a container has, where its socket is not. */
export interface DatabaseOverTcp extends AsyncDisposable {
  readonly connectionString: string;
}

/** Listens on loopback for the server of a database that has a socket in a folder alone. */
export async function startTcpDatabase(connectionString: string): Promise<DatabaseOverTcp> {
  const url = new URL(connectionString);
  const path = join(url.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const server = createServer((client) => {
    const database = connect(path);
    pipeline(client, database, client, () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const overTcp = new URL(`postgres://127.0.0.1:${port}${url.pathname}`);
  overTcp.username = url.username;
  overTcp.password = url.password;
  return {
    connectionString: overTcp.href,
    [Symbol.asyncDispose]: async () => {
      server.close();
      await once(server, "close");
    },
  };
}
