import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { startInstance, type Instance } from "../../src/app/instance.ts";
import { readConfiguration } from "../../src/platform/configuration/configuration.ts";
import type { StatementObserver } from "../../src/platform/database/orm-logger.ts";
import { createTestDatabase } from "./test-database.ts";

/** Both services in this process, on free ports and a database of their own. */
export interface TestInstance {
  /** `http://127.0.0.1:<port>` of the gateway. */
  readonly url: string;
  readonly toolsUrl: string;
  readonly adminToken: string;
  readonly dataDirectory: string;
  readonly connectionString: string;
  readonly instance: Instance;
  /** Lines of the log so far, parsed. */
  readonly logLines: () => Record<string, unknown>[];
  /** Calls a REST route; `token` goes as a bearer, `body` as JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<RestAnswer>;
  /** Makes a user and a session of it. */
  createUser(email?: string): Promise<TestUser>;
  close(): Promise<void>;
}

export interface CallOptions {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  // Tests look into answers of every shape.
  readonly body: any;
}

export interface TestUser {
  readonly id: string;
  readonly email: string;
  readonly session: string;
  /** Makes a caller key of that user, by the operator. */
  createKey(fields?: Readonly<Record<string, unknown>>): Promise<{ id: string; secret: string }>;
}

export interface TestInstanceOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Content of the configuration file, written as JSON. */
  readonly file?: unknown;
  readonly statementObserver?: StatementObserver;
}

/** Starts it; close it in `afterAll`. */
export async function startTestInstance(options: TestInstanceOptions = {}): Promise<TestInstance> {
  const database = await createTestDatabase();
  const dataDirectory = await mkdtemp(join(tmpdir(), "causeway-instance-"));
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
  const instance = await startInstance({
    configuration: readConfiguration(environment),
    services: ["gateway", "tools"],
    log: pino({ level: "debug" }, { write: (line: string) => void lines.push(line) }),
    environment,
    ...(options.statementObserver !== undefined && {
      statementObserver: options.statementObserver,
    }),
  });
  const url = urlOf(instance, "gateway");
  const call = (method: string, path: string, callOptions?: CallOptions) =>
    callRest(path.startsWith("http") ? path : url + path, method, callOptions);
  return {
    url,
    toolsUrl: urlOf(instance, "tools"),
    adminToken,
    dataDirectory,
    connectionString: database.connectionString,
    instance,
    logLines: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>),
    call,
    createUser: (email) =>
      createUser(call, adminToken, email ?? `u${randomBytes(6).toString("hex")}@example.org`),
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

function urlOf({ services }: Instance, name: string): string {
  const service = services.find((candidate) => candidate.name === name);
  if (service === undefined) throw new Error(`The ${name} service was not started.`);
  return service.listeningUrl;
}

async function callRest(
  url: string,
  method: string,
  options: CallOptions = {},
): Promise<RestAnswer> {
  const response = await fetch(url, {
    method,
    headers: {
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...(options.body !== undefined && { "content-type": "application/json" }),
      ...options.headers,
    },
    ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

async function createUser(
  call: TestInstance["call"],
  adminToken: string,
  email: string,
): Promise<TestUser> {
  const asOperator = { token: adminToken };
  const user = await call("POST", "/v1/admin/users", { ...asOperator, body: { email } });
  const { id } = user.body as { id: string };
  const session = await call("POST", `/v1/admin/users/${id}/sessions`, asOperator);
  return {
    id,
    email,
    session: session.body.token,
    createKey: async (fields = {}) => {
      const body = { name: "test", ...fields };
      const answer = await call("POST", `/v1/admin/users/${id}/keys`, { ...asOperator, body });
      return { id: answer.body.key.id, secret: answer.body.secret };
    },
  };
}
