import { randomBytes } from "node:crypto";
import { pino } from "pino";
import { startServerInstance } from "../../../src/app/instance.ts";
import { readConfiguration } from "../../../src/platform/configuration/configuration.ts";
import { generateCredentialToken } from "../../../src/platform/crypto/token.ts";
import { startEmbeddedPostgres } from "../../../src/platform/database/embedded-server.ts";
import { createProcessLoggersOnStream } from "../../../src/platform/log.ts";
import { program, programPath } from "../../support/causeway-process.ts";
import {
  clusterOf,
  newDataDirectory,
  removeDataDirectory,
  removeWithThisProcess,
} from "../../support/data-directory.ts";
import type { FakeUpstream } from "../../support/fake-upstream.ts";
import { createUser, restClient } from "../../support/rest-client.ts";
import { startServer } from "../../support/server-process.ts";
import { startScriptedUpstream } from "./scripted-upstream.ts";

/** A process of the installation, or this one. */
export interface TurnServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<unknown>;
}

/** An installation that is measured: its database has the settings that the server gives it. */
export interface TurnEnvironment {
  readonly connectionString: string;
  readonly upstream: FakeUpstream;
  /** One process more, of its own. */
  startProcess(): Promise<TurnServer>;
  /** The same inside this process, whose statements are heard. */
  startHere(heard: (sql: string) => void): Promise<TurnServer>;
  /** Makes an account that calls the upstream. */
  openAccount(server: TurnServer): Promise<TurnAccount>;
}

export interface TurnAccount {
  readonly key: string;
  readonly model: string;
}

/** Opens it for `use`, and takes everything away afterwards. */
export async function withTurnEnvironment(
  use: (stage: TurnEnvironment) => Promise<void>,
): Promise<void> {
  const directory = await newDataDirectory();
  const log = pino({ level: "error" }, pino.destination(2));
  const database = await startEmbeddedPostgres({ dataDirectory: directory, log });
  removeWithThisProcess(directory, await clusterOf(directory));
  const upstream = await startScriptedUpstream();
  const environment = environmentOf(database.connectionString, directory);
  const open = new Set<TurnServer>();
  const track = (server: TurnServer): TurnServer => {
    open.add(server);
    const stop = async (): Promise<unknown> => {
      open.delete(server);
      return server.stop();
    };
    return { ...server, stop };
  };
  const stage: TurnEnvironment = {
    connectionString: database.connectionString,
    upstream,
    startProcess: async () => track(await startProcess(environment)),
    startHere: async (heard) => track(await startHere(environment, heard)),
    openAccount: (server) => openAccount(server, environment.CAUSEWAY_ADMIN_TOKEN, upstream),
  };
  try {
    await use(stage);
  } finally {
    await Promise.all([...open].map((server) => server.stop()));
    await upstream.close();
    await database.stop();
    await removeDataDirectory(directory);
  }
}

function environmentOf(databaseUrl: string, directory: string) {
  return {
    DATABASE_URL: databaseUrl,
    CAUSEWAY_DATA_DIR: directory,
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_ADMIN_TOKEN: generateCredentialToken("cwa"),
    CAUSEWAY_PORT: "0",
    CAUSEWAY_TOOLS_PORT: "0",
    CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*",
    CAUSEWAY_DRAIN_SECONDS: "1",
    CAUSEWAY_LOG_LEVEL: "warn",
  };
}

async function startProcess(environment: Readonly<Record<string, string>>): Promise<TurnServer> {
  const { CAUSEWAY_DATA_DIR: dataDirectory = "" } = environment;
  const server = await startServer({
    dataDirectory,
    environment: { ...environment, PATH: programPath },
    command: [program],
  });
  return { url: server.url, pid: server.process.pid, stop: () => server.end() };
}

async function startHere(
  environment: Readonly<Record<string, string>>,
  heard: (sql: string) => void,
): Promise<TurnServer> {
  const instance = await startServerInstance({
    configuration: readConfiguration(environment),
    services: ["gateway"],
    ...createProcessLoggersOnStream(process.stderr, "warn"),
    environment,
    statementObserver: heard,
  });
  const [service] = instance.services;
  if (service === undefined) throw new Error("The gateway was not started.");
  return { url: service.listeningUrl, pid: process.pid, stop: () => instance.stop() };
}

async function openAccount(
  { url }: TurnServer,
  adminToken: string,
  upstream: FakeUpstream,
): Promise<TurnAccount> {
  const call = restClient(url);
  const user = await createUser(call, adminToken);
  const endpoint = {
    label: "Turns",
    base_url: `${upstream.origin}/v1`,
    api_key: "own",
    dialect: "dialect_chat",
  };
  const made = await call("POST", "/v1/upstreams", { token: user.session, body: endpoint });
  const { slug } = made.body.upstream as { slug: string };
  const limits = { rate_limit: { requests_per_minute: 1_000_000, burst: 100_000 } };
  const { secret } = await user.createKey(limits);
  return { key: secret, model: `custom/${slug}/m` };
}
