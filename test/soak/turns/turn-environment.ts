import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pino } from "pino";
import { generateCredentialToken } from "../../../src/platform/crypto/token.ts";
import { startEmbeddedPostgres } from "../../../src/platform/database/embedded-server.ts";
import { program, programPath } from "../../support/causeway-process.ts";
import {
  clusterOf,
  newDataDirectory,
  removeDataDirectory,
  removeWithThisProcess,
} from "../../support/data-directory.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { startTurnTools, type TurnTools } from "./turn-tools.ts";
import { startTurnUpstream, type TurnUpstream } from "./turn-upstream.ts";

/** A database, an upstream, and servers that can be killed and replaced. */
export interface TurnEnvironment {
  readonly databaseUrl: string;
  readonly upstream: TurnUpstream;
  readonly tools: TurnTools;
  /** One more process of the installation, ready. */
  startServer(): Promise<ServerProcess>;
  close(): Promise<void>;
}

const wordMs = 60;

const toolMs = 150;

export async function openTurnEnvironment(): Promise<TurnEnvironment> {
  const directory = await newDataDirectory();
  const log = pino({ level: "error" }, pino.destination(2));
  const database = await startEmbeddedPostgres({ dataDirectory: directory, log });
  removeWithThisProcess(directory, await clusterOf(directory));
  const databaseUrl = database.connectionString;
  const upstream = await startTurnUpstream(wordMs);
  const tools = await startTurnTools(toolMs);
  const environment = await environmentFor(directory, upstream);
  const servers: ServerProcess[] = [];
  return {
    databaseUrl,
    upstream,
    tools,
    startServer: async () => {
      const server = await startServer({ databaseUrl, environment, command: [program] });
      servers.push(server);
      return server;
    },
    close: async () => {
      await Promise.all(servers.map((server) => server.end()));
      upstream.close();
      tools.close();
      await database.stop();
      await removeDataDirectory(directory);
    },
  };
}

/** The same secrets for all: they are one installation. */
async function environmentFor(
  directory: string,
  { baseUrl }: TurnUpstream,
): Promise<Record<string, string>> {
  const file = join(directory, "causeway.json");
  await writeFile(file, JSON.stringify(configurationFor(baseUrl)));
  return {
    PATH: programPath,
    CAUSEWAY_CONFIG: file,
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_ADMIN_TOKEN: generateCredentialToken("cwa"),
    CAUSEWAY_LOG_LEVEL: "warn",
  };
}

function configurationFor(baseUrl: string): object {
  const vendor = {
    label: "Shop",
    base_url: baseUrl,
    dialects: ["dialect_chat"],
    auth: "bearer",
    models: ["m"],
  };
  const sold = { id: "sold", vendor: "shop", model: "m" };
  return {
    limits: { requests_per_minute: 1_000_000, burst: 100_000 },
    vendors: { shop: vendor },
    credits: {
      keys: { shop: "operator-key" },
      catalog: [{ ...sold, input_usd_per_mtok: 1, output_usd_per_mtok: 2 }],
    },
  };
}
