/** docs/continuous-integration.md, with registries on this machine. */
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { parse } from "smol-toml";
import { expect, it, onTestFinished, vi } from "vitest";
import { daysAgo } from "../depshealth/service/tools-fixture.ts";
import { sampleDocument } from "../depshealth/eol/sample.ts";
import { startFakeSources, type FakeSources } from "../support/fake-sources/fake-sources.ts";
import { serveNpm } from "../support/fake-sources/packages.ts";
import { serveEcosystems, serveOsv } from "../support/fake-sources/sources.ts";
import { GuideReader } from "./guide-reader.ts";

vi.setConfig({ testTimeout: 240_000 });

it("audits a project, accepts its findings, and gives coding agents the tools", async () => {
  const sources = await registries();
  const reader = await GuideReader.arrive({ environment: { CAUSEWAY_CONFIG: "sources.json" } });
  const configuration = JSON.stringify(sources.configuration());
  await writeFile(join(reader.directory, "sources.json"), configuration);
  await reader.follow("continuous-integration.md");

  const sarif = JSON.parse(await readFile(join(reader.directory, "audit.sarif"), "utf8"));
  expect(sarif.runs[0].results).toHaveLength(1);
  const own = (name: string) => readFile(join(reader.directory, name), "utf8");
  const ofHome = (name: string) => readFile(join(dirname(reader.directory), name), "utf8");
  const addresses = [
    JSON.parse(await own(".mcp.json")).mcpServers.causeway.url,
    parse(await ofHome(".codex/config.toml"))["mcp_servers"],
    JSON.parse(await own("opencode.json")).mcp.causeway.url,
  ].map((found) => found.causeway?.url ?? found);
  expect(new Set(addresses).size).toBe(1);
  expect(await toolsAt(addresses[0])).toEqual(["deps_audit", "package_health", "runtime_eol"]);
});

/** A package that is well, one that is deprecated, and nothing of anything else. */
async function registries(): Promise<FakeSources> {
  const sources = await startFakeSources();
  onTestFinished(() => sources.close());
  sources.serve("/endoflife/api/v1/products/full", { text: sampleDocument() });
  serveEcosystems(sources, {});
  serveOsv(sources, {});
  const at = daysAgo(10);
  serveNpm(sources, { name: "left-pad", versions: [{ version: "1.3.0", at }] });
  const deprecated =
    "request has been deprecated, see https://github.com/request/request/issues/3142";
  serveNpm(sources, { name: "request", versions: [{ version: "2.88.2", at, deprecated }] });
  return sources;
}

async function toolsAt(address: string): Promise<string[]> {
  const client = new Client({ name: "guide", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const { tools } = await client.listTools();
  await client.close();
  return tools.map(({ name }) => name).toSorted();
}
