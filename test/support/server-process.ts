import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import {
  isPostmasterRunning,
  readPostmasterFile,
} from "../../src/platform/database/embedded/postmaster-file.ts";
import { CausewayProcess, type CausewayOptions, type Outcome } from "./causeway-process.ts";
import { clusterOf, newDataDirectory, removeDataDirectory } from "./data-directory.ts";
import { createUser, restClient, type RestCall, type TestUser } from "./rest-client.ts";

export interface ServerOptions extends CausewayOptions {
  /** Words of the command; `serve` unless said. */
  readonly words?: readonly string[];
  /** An existing data directory; without one, a new one that goes with the server. */
  readonly dataDirectory?: string;
  /** In place of the embedded server; keys for it are made unless they are given. */
  readonly databaseUrl?: string;
}

/** A server in a process of its own, ready. */
export interface ServerProcess {
  readonly process: CausewayProcess;
  /** `http://127.0.0.1:<port>` of the gateway. */
  readonly url: string;
  readonly toolsUrl: string;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly adminToken: string;
  /** Milliseconds from the start of the process to its second ready line. */
  readonly readyMs: number;
  readonly call: RestCall;
  createUser(email?: string): Promise<TestUser>;
  /** SIGTERM, and how it ended. */
  stop(): Promise<Outcome>;
  /** Ends it in whatever state it is and leaves nothing behind. */
  end(): Promise<void>;
}

/** Starts the server and waits until both services are ready. Call `end` in `afterAll`. */
export async function startServer(options: ServerOptions = {}): Promise<ServerProcess> {
  const dataDirectory = options.dataDirectory ?? (await newDataDirectory());
  const environment = { ...settingsFor(options, dataDirectory), ...options.environment };
  const startedAt = performance.now();
  const child = CausewayProcess.start(options.words ?? ["serve"], { ...options, environment });
  const end = () => endServer(child, dataDirectory, options.dataDirectory === undefined);
  try {
    const ready = (service: string) => child.line(new RegExp(`^causeway ${service} ready (.+)$`));
    const [[, url = ""], [, toolsUrl = ""]] = await Promise.all([ready("gateway"), ready("tools")]);
    const readyMs = performance.now() - startedAt;
    const adminToken = environment["CAUSEWAY_ADMIN_TOKEN"] ?? (await adminTokenOf(dataDirectory));
    const call = restClient(url);
    return {
      process: child,
      url,
      toolsUrl,
      dataDirectory,
      environment,
      adminToken,
      readyMs,
      call,
      createUser: (email) => createUser(call, adminToken, email),
      stop: () => {
        child.signal("SIGTERM");
        return child.ended();
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** A server that ends with the test. */
export async function startServerForTest(options: ServerOptions = {}): Promise<ServerProcess> {
  const server = await startServer(options);
  onTestFinished(() => server.end());
  return server;
}

/** A data directory for several processes of one test, gone with it, its database included. */
export async function dataDirectoryForTest(): Promise<string> {
  const directory = await newDataDirectory();
  onTestFinished(() => removeDataDirectory(directory));
  return directory;
}

/** Process id of the embedded database of a data directory; undefined when it does not run. */
export async function databaseProcessOf(dataDirectory: string): Promise<number | undefined> {
  const file = await readPostmasterFile(await clusterOf(dataDirectory));
  return file !== undefined && isPostmasterRunning(file) ? file.pid : undefined;
}

function settingsFor(options: ServerOptions, dataDirectory: string): Record<string, string> {
  return {
    CAUSEWAY_DATA_DIR: dataDirectory,
    CAUSEWAY_PORT: "0",
    CAUSEWAY_TOOLS_PORT: "0",
    CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*",
    ...(options.databaseUrl !== undefined && {
      DATABASE_URL: options.databaseUrl,
      CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
      CAUSEWAY_ADMIN_TOKEN: `cwa_${randomBytes(16).toString("hex")}`,
    }),
  };
}

async function adminTokenOf(dataDirectory: string): Promise<string> {
  return (await readFile(join(dataDirectory, "admin-token"), "utf8")).trim();
}

async function endServer(
  child: CausewayProcess,
  dataDirectory: string,
  isOwnDirectory: boolean,
): Promise<void> {
  child.signalGroup("SIGKILL");
  await child.outcome;
  if (isOwnDirectory) await removeDataDirectory(dataDirectory);
}
