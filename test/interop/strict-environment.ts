import { writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { program, programPath } from "../support/causeway-process.ts";
import {
  clusterOf,
  newDataDirectory,
  removeDataDirectory,
  removeWithThisProcess,
} from "../support/data-directory.ts";
import type { TestUser } from "../support/rest-client.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import {
  createStrictUpstream,
  type StrictExchange,
} from "../support/strict-upstream/strict-upstream.ts";

/** What an upstream speaks. */
export const dialects = ["chat", "messages", "responses"] as const;
export type Dialect = (typeof dialects)[number];

/** A model that is reached over an upstream of one dialect. */
export interface Lane {
  readonly dialect: Dialect;
  /** `custom/<slug>/<id>` */
  readonly model: string;
  /** A caller key that may call this model, and the agents with no other model than it. */
  readonly key: string;
}

/** A gateway in front of the strict upstream, once for each dialect. Everything is on loopback. */
export interface StrictEnvironment {
  /** `http://127.0.0.1:<port>` of the gateway. */
  readonly url: string;
  readonly lanes: readonly Lane[];
  /** What the upstream has heard since the last time that this was asked, refused calls included. */
  takeExchanges(): readonly StrictExchange[];
  close(): Promise<void>;
}

/** Out of the way: buckets are taken from, and never empty. */
const configuration = { limits: { requests_per_minute: 100_000, burst: 10_000 } };

/** Starts both, with an embedded database that goes with them. */
export async function openStrictEnvironment(): Promise<StrictEnvironment> {
  const exchanges: StrictExchange[] = [];
  const upstream = createStrictUpstream((exchange) => void exchanges.push(exchange));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const dataDirectory = await newDataDirectory();
  const file = join(dataDirectory, "causeway.json");
  await writeFile(file, JSON.stringify(configuration));
  const environment = { PATH: programPath, CAUSEWAY_CONFIG: file };
  const server = await startServer({ dataDirectory, environment, command: [program] });
  removeWithThisProcess(dataDirectory, await clusterOf(dataDirectory));
  const { port } = upstream.address() as AddressInfo;
  return {
    url: server.url,
    lanes: await openLanes(server, `http://127.0.0.1:${port}/v1`),
    takeExchanges: () => exchanges.splice(0),
    close: async () => {
      await server.end();
      upstream.closeAllConnections();
      upstream.close();
      await removeDataDirectory(dataDirectory);
    },
  };
}

async function openLanes(server: ServerProcess, baseUrl: string): Promise<readonly Lane[]> {
  const user = await firstUser(server);
  const lanes: Lane[] = [];
  for (const dialect of dialects) {
    const label = `Strict ${dialect}`;
    const body = { label, base_url: baseUrl, api_key: "k", dialect: `dialect_${dialect}` };
    const made = await server.call("POST", "/v1/upstreams", { token: user.session, body });
    if (made.status >= 300) throw new Error(`${made.status} ${JSON.stringify(made.body)}`);
    const model = `custom/${made.body.upstream.slug}/strict`;
    const allowed = [model, "agent", "agent-omni", "agent-fast"];
    const { secret } = await user.createKey({ allowed_models: allowed });
    lanes.push({ dialect, model, key: secret });
  }
  return lanes;
}

/** On a busy machine the database may be late for the first call. */
async function firstUser(server: ServerProcess): Promise<TestUser> {
  let last: unknown;
  for (let attempt = 0; attempt < 30; attempt += 1) {
    try {
      return await server.createUser();
    } catch (error) {
      last = error;
      await delay(1000);
    }
  }
  throw last;
}
