import { execFile } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { repository } from "../../support/causeway-process.ts";
import { startMcpServer } from "./mcp-fixture.ts";

vi.setConfig({ testTimeout: 90_000 });

const program = join(repository, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const notTestable = join(import.meta.dirname, "conformance-not-testable.yaml");

/** Scenarios of the protocol's own suite that need no tools of its example server. */
const scenarios: readonly (readonly [revision: string, scenario: string])[] = [
  ["2025-06-18", "server-initialize"],
  ["2025-06-18", "tools-list"],
  ["2025-11-25", "server-initialize"],
  ["2025-11-25", "ping"],
  ["2025-11-25", "tools-list"],
  ["2025-11-25", "dns-rebinding-protection"],
  ["2026-07-28", "server-stateless"],
  ["2026-07-28", "tools-list"],
  ["2026-07-28", "http-header-validation"],
  ["2026-07-28", "dns-rebinding-protection"],
  ["2026-07-28", "server-sse-multiple-streams"],
  ["2026-07-28", "sep-2164-resource-not-found"],
  ["2026-07-28", "input-required-result-unsupported-methods"],
];

interface Run {
  readonly code: number;
  readonly output: string;
}

function run(url: string, revision: string, scenario: string): Promise<Run> {
  const words = ["server", "--url", url, "--scenario", scenario, "--spec-version", revision];
  const baseline = scenario === "server-stateless" ? ["--expected-failures", notTestable] : [];
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words, ...baseline], (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr });
    });
  });
}

describe("the suite of the protocol", () => {
  it.each(scenarios)("[health.mcp] of %s passes: %s", async (revision, scenario) => {
    const { origin } = await startMcpServer();
    const { code, output } = await run(
      `${origin.replace("127.0.0.1", "localhost")}/mcp`,
      revision,
      scenario,
    );
    expect(code === 0 ? "passed" : output).toBe("passed");
    expect(output).toMatch(/Passed: [1-9]\d*\//);
  });
});
