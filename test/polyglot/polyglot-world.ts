import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { daysAgo, startTools, type ToolsFixture } from "../depshealth/service/tools-fixture.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";
import { startLoopbackUpstream, type LoopbackUpstream } from "../support/loopback-upstream.ts";

/** Runs programs against a server, with the addresses and credentials in their environment. */
export interface PolyglotWorld {
  /** Address of the gateway. */
  readonly url: string;
  /** What a program prints; rejects with what it said when it fails. */
  run(
    command: string,
    words: readonly string[],
    environment?: Readonly<Record<string, string>>,
    directory?: string,
  ): Promise<string>;
}

/** A server, an endpoint and a registry for a whole test file. */
export function usePolyglotWorld(): PolyglotWorld {
  let tools: ToolsFixture;
  let upstream: LoopbackUpstream;
  let environment: Readonly<Record<string, string>>;

  beforeAll(async () => {
    upstream = await startLoopbackUpstream(["one", "two"]);
    // A busy machine that builds for one test must not shed the calls of another.
    tools = await startTools({ settings: { limits: { shed_loop_delay_ms: 0 } } });
    serveNpm(tools.fake, { name: "fine", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    environment = { ...(await credentials(tools)), UPSTREAM_URL: upstream.baseUrl };
  });

  afterAll(async () => {
    await tools.close();
    await upstream.close();
  });

  return {
    get url() {
      return tools.causeway.url;
    },
    async run(command, words, more = {}, directory = import.meta.dirname) {
      const env = { ...process.env, ...environment, ...more };
      const { stdout } = await promisify(execFile)(command, words, { env, cwd: directory });
      return stdout;
    },
  };
}

/** As on a first start, the key holds every scope. */
async function credentials({ causeway }: ToolsFixture): Promise<Record<string, string>> {
  const user = await causeway.createUser();
  const scopes = ["gateway:invoke", "teams:read", "teams:write", "endpoints:read"];
  const key = await user.createKey({ scopes: [...scopes, "endpoints:write"] });
  return {
    CAUSEWAY_URL: causeway.url,
    CAUSEWAY_TOOLS_URL: causeway.toolsUrl,
    CAUSEWAY_KEY: key.secret,
    CAUSEWAY_SESSION: user.session,
  };
}
