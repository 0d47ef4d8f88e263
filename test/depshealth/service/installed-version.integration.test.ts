import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serveNpm, servePypi } from "../../support/fake-sources/packages.ts";
import { serveOsv } from "../../support/fake-sources/sources.ts";
import { daysAgo, startTools, type ToolsFixture } from "./tools-fixture.ts";

let tools: ToolsFixture;

beforeAll(async () => {
  tools = await startTools();
  servePypi(tools.fake, {
    name: "emptied",
    versions: [
      { version: "2.0.0", at: daysAgo(5), isEmptied: true },
      { version: "1.9.0", at: daysAgo(100) },
    ],
  });
  servePypi(tools.fake, {
    name: "early",
    versions: [
      { version: "2.0.0rc1", at: daysAgo(5) },
      { version: "1.9.0", at: daysAgo(100) },
    ],
  });
  serveNpm(tools.fake, {
    name: "star",
    versions: [
      { version: "2.0.0-rc.1", at: daysAgo(5) },
      { version: "1.9.0", at: daysAgo(100) },
    ],
  });
  serveOsv(tools.fake, {
    "PyPI/early@2.0.0rc1": [{ id: "MAL-2026-2", versions: ["2.0.0rc1"] }],
    "npm/star@2.0.0-rc.1": [{ id: "MAL-2026-1", versions: ["2.0.0-rc.1"] }],
    "PyPI/emptied@1.9.0": [{ id: "GHSA-1", severity: "CRITICAL", fixed: "2.0.0" }],
  });
});

afterAll(() => tools.close());

/** Rows of an audit of a manifest. */
async function auditRows(manifest: string) {
  const { body } = await tools.tool("deps_audit", { manifest });
  return body.packages as readonly Readonly<Record<string, unknown>>[];
}

describe("a release of PyPI whose files were deleted", () => {
  it.each(["", ">=1"])("is not what `%s` installs", async (specifier) => {
    expect(await auditRows(`emptied${specifier}\n`)).toMatchObject([
      { version: "1.9.0", latest_version: "1.9.0", advisories: { critical: 1 } },
    ]);
  });

  it("fits no range", async () => {
    expect(await auditRows("emptied==2.*\n")).toMatchObject([
      { version: null, verdict: "unknown", reason: { code: "version_not_found" } },
    ]);
  });

  it("is not named as the version to upgrade to", async () => {
    const asked = { ecosystem: "pypi", name: "emptied", version: "1.9.0" };
    const { body } = await tools.tool("package_health", asked);
    expect(body).toMatchObject({ fixed_version: null, install_instead: null });
    expect(body.summary).not.toContain("2.0.0");
  });

  it("is a version that the registry does not have when it is asked for", async () => {
    const [row] = await auditRows("emptied==2.0.0\n");
    expect(row).toMatchObject({
      version: "2.0.0",
      verdict: "unknown",
      reason: { code: "version_not_found" },
      install_instead: { name: "emptied", version: "1.9.0" },
    });
  });
});

describe("a pre-release under npm's tag `latest`", () => {
  it.each(["*", ""])("is what `%s` installs", async (range) => {
    expect(await auditRows(JSON.stringify({ dependencies: { star: range } }))).toMatchObject([
      { version: "2.0.0-rc.1", advisories: { critical: 1 } },
    ]);
  });
});

describe("the option `--pre` of a requirements.txt", () => {
  it.each([
    "--pre\nearly\n",
    "early>=1\n--pre\n",
    "--prefer-binary --pre\nearly\n",
    "early\n-i https://packages.example/simple --pre\n",
  ])("has the pre-release assessed that pip installs by %j", async (manifest) => {
    expect(await auditRows(manifest)).toMatchObject([
      { version: "2.0.0rc1", advisories: { critical: 1 } },
    ]);
  });

  it.each(["early --pre\n", "early\n-e . --pre\n", "early\n--prefer-binary\n"])(
    "has no effect in %j",
    async (manifest) => {
      expect(await auditRows(manifest)).toMatchObject([{ version: "1.9.0" }]);
    },
  );

  it("does not change the row of a package on the list", async () => {
    const packages = [{ ecosystem: "pypi", name: "early" }];
    const { body } = await tools.tool("deps_audit", { packages, manifest: "--pre\nearly\n" });
    expect(body.packages).toMatchObject([{ version: "1.9.0" }, { version: "2.0.0rc1" }]);
  });
});
