import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { status } from "../../support/fake-sources/faults.ts";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
});

afterAll(() => tools.close());

describe("deps_audit and package_health", () => {
  it("count no advisories where not all could be read, and list those that are known", async () => {
    serveNpm(tools.fake, { name: "dark", versions: [{ version: "1.0.0", at: daysAgo(10) }] });
    const dark = { ecosystem: "npm", name: "dark" };
    const hits = [{ id: "GHSA-dark" }, { id: "GHSA-light", severity: "LOW", fixed: "1.0.1" }];
    serveOsv(tools.fake, { "npm/dark@1.0.0": hits });
    tools.fake.fail("/osv/v1/vulns/GHSA-dark", status(500));
    const { body } = await tools.tool("deps_audit", { packages: [dark] });
    const report = await tools.tool("package_health", dark);
    const details = [
      { id: "GHSA-light", severity: "low" },
      { id: "GHSA-dark", severity: "unknown" },
    ];
    expect(body.packages).toMatchObject([
      {
        verdict: "active",
        advisories: null,
        advisory_details: details,
        reasons: expect.arrayContaining(["advisories_incomplete", "source_failed"]),
      },
    ]);
    expect(body.summary).toMatchObject({ active: 1, with_advisories: 1 });
    expect(report.body).toMatchObject({ advisories: details, fixed_version: null });
  });
});
