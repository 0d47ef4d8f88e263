import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CausewayProcess } from "../../support/causeway-process.ts";
import { createUser, restClient, type RestCall, type TestUser } from "../../support/rest-client.ts";
import { newDataDirectory } from "../../support/data-directory.ts";
import { createTestDatabase } from "../../support/test-database.ts";

/** A gateway in a process of its own. */
export interface CreditsGateway {
  readonly process: CausewayProcess;
  readonly url: string;
  readonly call: RestCall;
}

/** Gateways that share one database and one configuration file. */
export interface CreditsGateways {
  readonly databaseUrl: string;
  /** Starts one more and waits until it is ready. */
  start(): Promise<CreditsGateway>;
  createUser(call: RestCall): Promise<TestUser>;
  /** Puts credits into a user's wallet. */
  credit(call: RestCall, user: TestUser, amountUsd: number): Promise<void>;
  /** Kills those that still run and removes what they used. */
  close(): Promise<void>;
}

/** A dollar a million tokens in, two out; `sold` is paid from the wallet, `bolt/any` by a linked credential. */
const configurationFor = (upstream: string) => {
  const vendor = { base_url: `${upstream}/v1`, auth: "bearer", dialects: ["dialect_chat"] };
  const prices = { input_usd_per_mtok: 1, output_usd_per_mtok: 2 };
  return {
    vendors: {
      acme: { label: "Acme", models: ["acme-large"], ...vendor },
      bolt: { label: "Bolt", models: ["any"], ...vendor },
    },
    credits: {
      keys: { acme: "operator-key" },
      catalog: [{ id: "sold", vendor: "acme", model: "acme-large", ...prices }],
    },
  };
};

/** Makes the database and the file; no gateway runs yet. Call `close` in `afterAll`. */
export async function prepareCreditsGateways(upstream: string): Promise<CreditsGateways> {
  const directory = await newDataDirectory();
  const database = await createTestDatabase();
  const file = join(directory, "causeway.json");
  await writeFile(file, JSON.stringify(configurationFor(upstream)));
  const adminToken = `cwa_${randomBytes(16).toString("hex")}`;
  const environment = {
    DATABASE_URL: database.connectionString,
    CAUSEWAY_CONFIG: file,
    CAUSEWAY_DATA_DIR: directory,
    CAUSEWAY_SECRET_KEY: randomBytes(32).toString("base64"),
    CAUSEWAY_ADMIN_TOKEN: adminToken,
    CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*",
    CAUSEWAY_PORT: "0",
  };
  const started: CausewayProcess[] = [];
  return {
    databaseUrl: database.connectionString,
    start: async () => {
      const child = CausewayProcess.start(["serve", "gateway"], { environment });
      started.push(child);
      const [, url = ""] = await child.line(/^causeway gateway ready (.+)$/);
      return { process: child, url, call: restClient(url) };
    },
    createUser: (call) => createUser(call, adminToken),
    credit: async (call, user, amountUsd) => {
      const body = { amount_usd: amountUsd };
      await call("POST", `/v1/admin/users/${user.id}/credits`, { token: adminToken, body });
    },
    close: async () => {
      for (const child of started) child.signalGroup("SIGKILL");
      await Promise.all(started.map((child) => child.outcome));
      await database.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
