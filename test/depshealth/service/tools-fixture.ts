import { startFakeSources, type FakeSources } from "../../support/fake-sources/fake-sources.ts";
import { serveEcosystems, serveOsv } from "../../support/fake-sources/sources.ts";
import { restClient, type RestResponse } from "../../support/rest-client.ts";
import {
  startTestInstance,
  type TestInstance,
  type TestInstanceOptions,
} from "../../support/test-instance.ts";
import { sampleDocument } from "../eol/sample.ts";

/** A server whose every source is a fake one. */
export interface ToolsFixture {
  readonly fake: FakeSources;
  readonly causeway: TestInstance;
  /** Calls a tool; a `task_context` is added unless the body has one. */
  tool(name: string, body: Readonly<Record<string, unknown>>): Promise<RestResponse>;
  /** Calls the tools port as the operator. */
  operator(path: string): Promise<RestResponse>;
  close(): Promise<void>;
}

export interface ToolsFixtureOptions extends TestInstanceOptions {
  /** More of the configuration file. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly fake?: FakeSources;
}

/** The same for all, so that one can open the database of another. */
const oneKey = Buffer.alloc(32, 7).toString("base64");

/** Starts both; close it in `afterAll`. */
export async function startTools(options: ToolsFixtureOptions = {}): Promise<ToolsFixture> {
  const fake = options.fake ?? (await startFakeSources());
  fake.serve("/endoflife/api/v1/products/full", { text: sampleDocument() });
  // Sources that know of nothing, until a test says otherwise.
  serveEcosystems(fake, {});
  serveOsv(fake, {});
  const file = { ...fake.configuration(), ...options.settings };
  const environment = { CAUSEWAY_SECRET_KEY: oneKey, ...options.environment };
  const causeway = await startTestInstance({ ...options, file, environment });
  const call = restClient(causeway.toolsUrl);
  return {
    fake,
    causeway,
    tool: (name, body) =>
      call("POST", `/tools/${name}`, { body: { task_context: "Testing", ...body } }),
    operator: (path) => call("GET", path, { token: causeway.adminToken }),
    close: async () => {
      await causeway.close();
      await fake.close();
    },
  };
}

export function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString();
}
