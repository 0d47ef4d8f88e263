import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program, programPath } from "../../support/causeway-process.ts";
import type { Child } from "../running/child.ts";
import { readyLine } from "../running/ready-signs.ts";
import { databaseProcesses } from "../running/database-processes.ts";
import { stopLeftoverDatabase } from "./stop-leftover-database.ts";
import { registerUpstreams, upstreamLabel } from "./register-upstreams.ts";
import type { VariantContext, Variant } from "./variant.ts";
import { fillWallet, creditsCatalog, creditsModel } from "./credits-setup.ts";

/** Out of the way: the bucket is taken from, and never empty. */
const limits = { requests_per_minute: 100_000_000, burst: 1_000_000 };

/**
 * The gateway as an operator starts it, on its embedded database, with every
 * feature on. Its stderr, and with it the log, goes to a file.
 */
export const gateway: Variant = {
  name: "gateway",
  description: "Causeway, all features on",
  unavailable: () => undefined,
  async start(ground, directory) {
    const child = await startGateway(ground, directory);
    const key = readFileSync(join(directory, "first-key"), "utf8").trim();
    await fillWallet(child.url, directory);
    const slugs = await registerUpstreams(ground.upstream, child.url, key);
    const port = Number(new URL(child.url).port);
    return {
      name: "gateway",
      pids: [child.pid],
      databasePids: () => databaseProcesses(directory),
      readyMs: child.readyMs,
      endpoint: (call) => ({
        port,
        basePath: "/v1",
        model:
          call.isPaid === true
            ? creditsModel
            : `custom/${slugs.get(upstreamLabel(call.upstream, call.upstreamDialect)) ?? ""}/mock`,
        key,
      }),
      stop: async () => {
        await child.stop();
        stopLeftoverDatabase(directory);
      },
    };
  },
};

async function startGateway(
  { stage, cores, upstream }: VariantContext,
  directory: string,
): Promise<Child> {
  mkdirSync(directory, { recursive: true });
  const configurationFile = `${directory}.json`;
  writeFileSync(
    configurationFile,
    JSON.stringify({ limits, ...creditsCatalog(upstream.ports.answers) }),
  );
  return stage.start({
    name: "gateway",
    command: program,
    parameters: ["serve", "gateway"],
    cores: cores?.server,
    environment: {
      ...foreignEnvironment(),
      PATH: programPath,
      CAUSEWAY_PORT: "0",
      CAUSEWAY_DATA_DIR: directory,
      CAUSEWAY_CONFIG: configurationFile,
      CAUSEWAY_UPSTREAM_ALLOW: "127.0.0.1:*",
      CAUSEWAY_DRAIN_SECONDS: "1",
    },
    ready: readyLine,
    channel: false,
  });
}

/** The environment without what would configure the gateway otherwise than the benchmark wants. */
function foreignEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name !== "DATABASE_URL" && !name.startsWith("CAUSEWAY_"),
    ),
  );
}
