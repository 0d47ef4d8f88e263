import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inject } from "vitest";
import { startServerInstance, type ServerInstance } from "../../src/app/instance.ts";
import { readConfiguration } from "../../src/platform/configuration/configuration.ts";
import type { UnknownCredentialRateLimit } from "../../src/account/unknown-credential-limiter.ts";
import type { MinimumRequestBodyRate } from "../../src/platform/body-memory-budget.ts";
import type { EventLoopDelayMonitor } from "../../src/platform/load/loop-delay.ts";
import { createProcessLoggersOnStream } from "../../src/platform/log.ts";
import { RequestValidator } from "../../src/transport/interceptors/validate.ts";
import type { StatementTextObserver } from "../../src/platform/database/orm-logger.ts";
import { createUser, restClient, type RestCall, type TestUser } from "./rest-client.ts";
import { createTestDatabase } from "./test-database.ts";

export type { RestResponse as RestAnswer, TestUser } from "./rest-client.ts";

/** Both services in this process, on free ports and a database of their own. */
export interface TestInstance {
  /** `http://127.0.0.1:<port>` of the gateway. */
  readonly url: string;
  readonly toolsUrl: string;
  readonly adminToken: string;
  readonly dataDirectory: string;
  readonly connectionString: string;
  readonly instance: ServerInstance;
  /** Lines of the log so far, parsed. */
  readonly logLines: () => Record<string, unknown>[];
  /** Calls a REST route; `token` goes as a bearer, `body` as JSON. */
  readonly call: RestCall;
  /** Makes a user and a session of it. */
  createUser(email?: string): Promise<TestUser>;
  close(): Promise<void>;
}

export interface TestInstanceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Content of the configuration file, written as JSON. */
  readonly file?: unknown;
  readonly statementObserver?: StatementTextObserver;
  /** The test does something that others would notice. */
  readonly own?: true;
  /** How late the event loop is; never, if omitted. */
  readonly watchLoop?: EventLoopDelayMonitor;
  /** How slowly request bodies may arrive. */
  readonly bodyPace?: MinimumRequestBodyRate;
  /** How many unknown credentials are looked up. */
  readonly lookUpAllowance?: UnknownCredentialRateLimit;
}

let shared: Promise<TestInstance> | undefined;

/** Compiles the rules of requests once in this worker, not for each instance. */
const validator = new RequestValidator();

/** Server, callers and upstreams share this process: on a busy machine it would refuse calls with 503. */
const neverLate: EventLoopDelayMonitor = () => () => {};

/**
 * Without options: the one instance of this worker, which its files share. Its `close`
 * does nothing, and its database goes with the run. With options, or `{ own: true }` for a
 * test that counts rows or log lines of others or stops the server: a new instance, to be
 * closed in `afterAll`.
 */
export function startTestInstance(options?: TestInstanceOptions): Promise<TestInstance> {
  if (options !== undefined) return startOwnInstance(options);
  shared ??= startOwnInstance({}).then((own) => ({ ...own, close: () => Promise.resolve() }));
  return shared;
}

async function startOwnInstance(options: TestInstanceOptions): Promise<TestInstance> {
  const database = await createTestDatabase();
  const dataDirectory = await mkdtemp(join(inject("temporaryDirectory"), "instance-"));
  const adminToken = `cwa_${randomBytes(16).toString("hex")}`;
  const environment = {
    DATABASE_URL: database.connectionString,
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_ADMIN_TOKEN: adminToken,
    CAUSEWAY_DATA_DIR: dataDirectory,
    CAUSEWAY_PORT: "0",
    CAUSEWAY_TOOLS_PORT: "0",
    CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*,localhost:*",
    CAUSEWAY_DRAIN_SECONDS: "1",
    ...(await configurationFile(dataDirectory, options.file)),
    ...options.environment,
  };
  const lines: string[] = [];
  const instance = await startServerInstance({
    configuration: readConfiguration(environment),
    services: ["gateway", "tools"],
    ...createProcessLoggersOnStream({ write: (line) => void lines.push(line) }, "debug"),
    environment,
    drainNoticeMs: 0,
    validator,
    watchLoop: options.watchLoop ?? neverLate,
    ...(options.statementObserver !== undefined && {
      statementObserver: options.statementObserver,
    }),
    ...(options.bodyPace !== undefined && { bodyPace: options.bodyPace }),
    ...(options.lookUpAllowance !== undefined && { lookUpAllowance: options.lookUpAllowance }),
  });
  const url = urlOf(instance, "gateway");
  const call = restClient(url);
  return {
    url,
    toolsUrl: urlOf(instance, "tools"),
    adminToken,
    dataDirectory,
    connectionString: database.connectionString,
    instance,
    logLines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    call,
    createUser: (email) => createUser(call, adminToken, email),
    close: async () => {
      await instance.stop();
      await database.drop();
      await rm(dataDirectory, { recursive: true, force: true });
    },
  };
}

async function configurationFile(
  directory: string,
  content: unknown,
): Promise<Record<string, string>> {
  if (content === undefined) return {};
  const path = join(directory, "causeway.json");
  await writeFile(path, JSON.stringify(content));
  return { CAUSEWAY_CONFIG: path };
}

function urlOf({ services }: ServerInstance, name: string): string {
  const service = services.find((candidate) => candidate.name === name);
  if (service === undefined) throw new Error(`The ${name} service was not started.`);
  return service.listeningUrl;
}
