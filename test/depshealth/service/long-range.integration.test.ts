import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveNpm } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  serveOsv(tools.fake, {});
  const versions = Array.from({ length: 6000 }, (_, index) => ({
    version: `1.0.${index}`,
    at: daysAgo(10),
  }));
  serveNpm(tools.fake, { name: "much", versions });
});

afterAll(() => tools.close());

describe("a range with too many conditions for its package", () => {
  it("is a row that is not assessed and says why", async () => {
    const range = Array.from({ length: 100 }, (_, index) => `>${index + 2}`).join("||");
    const manifest = JSON.stringify({ dependencies: { much: range } }, undefined, 2);
    const { body } = await tools.tool("deps_audit", { manifest });
    const why =
      "No version of much was assessed: its range has too many conditions for 6000 versions; ask for a version or a shorter range.";
    expect(body).toMatchObject({
      packages: [
        {
          name: "much",
          version: null,
          verdict: "unknown",
          advisories: null,
          error: why,
          reason: { code: "evidence_missing", message: why },
        },
      ],
    });
  });
});
