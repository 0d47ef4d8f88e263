import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { generateCredentialToken } from "../../src/platform/crypto/token.ts";
import { startEmbeddedPostgres } from "../../src/platform/database/embedded-server.ts";
import { program, programPath } from "../support/causeway-process.ts";
import { closedPort } from "../support/closed-port.ts";
import {
  clusterOf,
  newDataDirectory,
  removeDataDirectory,
  removeWithThisProcess,
} from "../support/data-directory.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { StallingProxy } from "../support/stalling-proxy.ts";
import { CallRegister } from "./call.ts";
import { configurationFor } from "./configuration.ts";
import { SoakUpstream } from "./fake-upstream.ts";
import { dialectNames, wires } from "./wire/wires.ts";

/** All that a run needs around it: a database, upstreams, and a server that can be killed. */
export interface SoakEnvironment {
  readonly book: CallRegister;
  readonly upstreams: readonly SoakUpstream[];
  /** Leads past the proxy. */
  readonly databaseUrl: string;
  /** Undefined: the server has the database as its embedded one. */
  readonly proxy: StallingProxy | undefined;
  /** Starts the server on the data directory and the port of the one before, and waits until it is ready. */
  startServer(): Promise<ServerProcess>;
  close(): Promise<void>;
}

/** Makes it. `isProxied`: the server reaches the database through a proxy, and it can be away. */
export async function openSoakEnvironment(isProxied: boolean): Promise<SoakEnvironment> {
  const dataDirectory = await newDataDirectory();
  const log = pino({ level: "error" }, pino.destination(2));
  const database = await startEmbeddedPostgres({ dataDirectory, log });
  removeWithThisProcess(dataDirectory, await clusterOf(dataDirectory));
  const databaseUrl = database.connectionString;
  const proxy = isProxied ? await StallingProxy.start(databaseUrl) : undefined;
  const book = new CallRegister();
  const upstreams = await Promise.all(
    dialectNames.map((name) => SoakUpstream.start(wires[name], book)),
  );
  const environment = await environmentFor(dataDirectory, upstreams, proxy);
  let server: ServerProcess | undefined;
  return {
    book,
    upstreams,
    databaseUrl,
    proxy,
    startServer: async () => {
      server = await startServer({ dataDirectory, environment, command: [program] });
      return server;
    },
    close: async () => {
      await server?.end();
      await Promise.all(upstreams.map((upstream) => upstream.goAway()));
      await proxy?.close();
      await database.stop();
      await removeDataDirectory(dataDirectory);
    },
  };
}

async function environmentFor(
  dataDirectory: string,
  upstreams: readonly SoakUpstream[],
  proxy: StallingProxy | undefined,
): Promise<Record<string, string>> {
  const file = join(dataDirectory, "causeway.json");
  await writeFile(file, JSON.stringify(configurationFor(upstreams)));
  return {
    PATH: programPath,
    CAUSEWAY_CONFIG: file,
    CAUSEWAY_PORT: String(await closedPort()),
    // A line for each of a hundred thousand requests is not what is looked for.
    CAUSEWAY_LOG_LEVEL: "warn",
    ...(proxy !== undefined && {
      DATABASE_URL: proxy.connectionString,
      CAUSEWAY_SECRET_KEY: Buffer.alloc(32, 7).toString("base64"),
      CAUSEWAY_ADMIN_TOKEN: generateCredentialToken("cwa"),
    }),
  };
}
