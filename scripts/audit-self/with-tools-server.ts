import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { npmRegistry } from "../npm-registry.ts";
import { repository } from "../run-tool.ts";

/**
 * Does something with a server of dependency health: the one of `CAUSEWAY_TOOLS_URL`, or one
 * of this clone with a database of its own, which is gone afterwards.
 */
export async function withToolsServer<T>(use: (toolsUrl: string) => Promise<T>): Promise<T> {
  const { CAUSEWAY_TOOLS_URL: given = "" } = process.env;
  if (given !== "") return use(given);
  const dataDirectory = await mkdtemp(join(tmpdir(), "causeway-audit-"));
  const server = spawn(join(repository, "bin/causeway.js"), ["serve", "tools"], {
    cwd: repository,
    env: {
      ...process.env,
      ...(await registryEnvironment()),
      CAUSEWAY_DATA_DIR: dataDirectory,
      CAUSEWAY_TOOLS_PORT: "0",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(server, "close");
  try {
    return await use(await readyUrl(server.stdout));
  } finally {
    server.kill("SIGTERM");
    await ended;
    await rm(dataDirectory, { recursive: true, force: true });
  }
}

/** Lets the server reach the registry as npm does: at a private address, and by a certificate authority of one's own. */
async function registryEnvironment(): Promise<Record<string, string>> {
  const { CAUSEWAY_UPSTREAM_ALLOW: allowed = "" } = process.env;
  const { url, authorities } = await npmRegistry();
  const { hostname, port } = new URL(url);
  return {
    CAUSEWAY_UPSTREAM_ALLOW: [allowed, `${hostname}:${port || "443"}`].filter(Boolean).join(","),
    ...(authorities !== undefined && { NODE_EXTRA_CA_CERTS: authorities }),
  };
}

async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /^causeway tools ready (\S+)$/.exec(line)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error("The server ended before it was ready.");
}
